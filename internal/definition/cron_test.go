package definition

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCronTimes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]CronTimes{
		"5 4 1 2 3":           {Minutes: []int{5}, Hours: []int{4}, Days: []int{1}, Months: []int{2}, Weekdays: []int{3}},
		"0,30 */12 31 DEC 7":  {Minutes: []int{0, 30}, Hours: []int{0, 12}, Days: []int{31}, Months: []int{12}, Weekdays: []int{0}},
		"50/5 0 1 1 fri-7":    {Minutes: []int{50, 55}, Hours: []int{0}, Days: []int{1}, Months: []int{1}, Weekdays: []int{0, 5, 6}},
		"0 0 1 jan-mar 1-7/3": {Minutes: []int{0}, Hours: []int{0}, Days: []int{1}, Months: []int{1, 2, 3}, Weekdays: []int{1, 4, 0}},
		"0\t0  1 1 7-7":       {Minutes: []int{0}, Hours: []int{0}, Days: []int{1}, Months: []int{1}, Weekdays: []int{0}},
	} {
		got, err := ParseCron(line)
		require.NoError(t, err, line)
		require.ElementsMatch(t, want.Weekdays, got.Weekdays, line)
		got.Weekdays = want.Weekdays
		require.Equal(t, want, got, line)
	}
	got, err := ParseCron("* * * * */2")
	require.NoError(t, err)
	require.True(t, got.AnyDay)
	require.False(t, got.AnyWeekday)
	require.Equal(t, []int{0, 2, 4, 6}, got.Weekdays)
}

func TestCronTimesThatComeTwice(t *testing.T) {
	t.Parallel()
	from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 12, 31, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		line, zone string
		want       []string
	}{
		{"30 2 * * *", "Europe/Berlin", []string{"2026-10-25T00:30", "2026-10-25T01:30", "2027-10-31T00:30", "2027-10-31T01:30"}},
		{"0 2,3 * * *", "Europe/Berlin", []string{"2026-10-25T00:00", "2026-10-25T01:00", "2027-10-31T00:00", "2027-10-31T01:00"}},
		{"59 1 * 11 *", "America/New_York", []string{"2026-11-01T05:59", "2026-11-01T06:59", "2027-11-07T05:59", "2027-11-07T06:59"}},
		{"45 1 4 4 *", "Australia/Lord_Howe", []string{"2027-04-03T14:45", "2027-04-03T15:15"}},
		{"30 2 25 * mon", "Europe/Berlin", []string{"2026-10-25T00:30", "2026-10-25T01:30"}},
		{"30 2 25 */1 */1", "Europe/Berlin", []string{"2026-10-25T00:30", "2026-10-25T01:30"}},
		{"30 2 1 * mon", "Europe/Berlin", nil},
		{"30 1,3 * * *", "Europe/Berlin", nil},
		{"* * * * *", "Asia/Tokyo", nil},
		{"* * * * *", "UTC", nil},
	} {
		times, err := ParseCron(c.line)
		require.NoError(t, err)
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		var got []string
		for _, at := range times.Twice(zone, from, to) {
			got = append(got, at.UTC().Format("2006-01-02T15:04"))
		}
		require.Equal(t, c.want, got, "%s in %s", c.line, c.zone)
	}
}

// What the library would take, or other notations have, and a line may not.
func TestCronLinesFromTheEdgeOfTheSyntax(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"", "* * * *", "* * * * * *", "@hourly", "@every 1m", "CRON_TZ=UTC * * * *", "TZ=UTC * * * * *", "? * * * *", "* * ? * *", "*-5 * * * *",
		"1-2-3 * * * *", "1/2/3 * * * *", "/5 * * * *", "*/ * * * *", "-1 * * * *", "+1 * * * *", "1,,2 * * * *", ",1 * * * *", "60 * * * *", "* 24 * * *",
		"* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 8", "* * * * 7-8", "* * * * 8-7", "* * L * *", "* * 1W * *", "* * * * 5#2", "* * * * mon-sun",
		"jan * * * *", "* * * mon *", "1.5 * * * *", "٣ * * * *", "99999999999999999999 * * * *", "*/0 * * * *", "*/99999999999999999999 * * * *", "0x5 * * * *",
		"* * * * 1-7/0", "* * * * 1-7/99999999999999999999",
	} {
		_, err := ParseCron(line)
		require.Error(t, err, line)
	}
}

func FuzzCron(f *testing.F) {
	f.Add("*/5 0-23/2 1,15 JAN-mar Mon,7")
	f.Add("TZ=UTC * * * *")
	f.Add("* * * * 5-7/2")
	f.Fuzz(func(t *testing.T, line string) {
		times, err := ParseCron(line)
		if err != nil {
			return
		}
		for _, set := range [][]int{times.Minutes, times.Hours, times.Days, times.Months, times.Weekdays} {
			require.NotEmpty(t, set, line)
			require.LessOrEqual(t, set[len(set)-1], 59, line)
		}
	})
}
