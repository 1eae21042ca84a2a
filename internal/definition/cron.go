package definition

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	library "github.com/robfig/cron/v3"
)

// The fields of a cron line.
const (
	cronFields  = 5
	cronWeekday = 4
)

// cronItem is one item of a field: a star, a value or a range, each with or without
// a step. The library takes more than that (a question mark, signs, a range behind a
// star), which is no part of the standard notation.
var cronItem = regexp.MustCompile(`^(\*|[0-9A-Za-z]+(-[0-9A-Za-z]+)?)(/[0-9]+)?$`)

// cronReader reads five fields and nothing else: no seconds and no @daily. What
// looks like the prefix of a zone is no item of a field.
var cronReader = library.NewParser(library.Minute | library.Hour | library.Dom | library.Month | library.Dow)

// weekdays are the names from 0 on.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// anyValue marks in a field's set that the field was a star.
const anyValue = 1 << 63

// CronTimes are the times of a cron line: of each field the values that it lets
// through, in ascending order. Weekdays count from 0, Sunday, to 6.
type CronTimes struct {
	Minutes, Hours, Days, Months, Weekdays []int
	// AnyDay and AnyWeekday say that the field is a star. Where neither is, a day
	// that fits one of the two fields is enough.
	AnyDay, AnyWeekday bool
}

// ParseCron reads a line of five fields in the standard notation: lists of values,
// ranges and steps, names of months and weekdays; 7 is Sunday, too. The error is a
// sentence for the caller.
func ParseCron(line string) (CronTimes, error) {
	fields := strings.Fields(line)
	if len(fields) != cronFields {
		return CronTimes{}, fmt.Errorf("a cron line has %d fields, not %d", cronFields, len(fields))
	}
	for i, field := range fields {
		items := strings.Split(field, ",")
		for j, item := range items {
			if !cronItem.MatchString(item) {
				return CronTimes{}, fmt.Errorf("%q is no value, range or step of a cron line", item)
			}
			if i == cronWeekday {
				items[j] = withoutSeven(item)
			}
		}
		fields[i] = strings.Join(items, ",")
	}
	read, err := cronReader.Parse(strings.Join(fields, " "))
	if err != nil {
		return CronTimes{}, err
	}
	s, _ := read.(*library.SpecSchedule) // five fields give no other kind
	return CronTimes{
		Minutes: values(s.Minute), Hours: values(s.Hour), Days: values(s.Dom), Months: values(s.Month), Weekdays: values(s.Dow),
		AnyDay: s.Dom&anyValue != 0, AnyWeekday: s.Dow&anyValue != 0,
	}, nil
}

// values are the members of a field's set.
func values(set uint64) []int {
	var list []int
	for n := range 63 {
		if set&(1<<n) != 0 {
			list = append(list, n)
		}
	}
	return list
}

// withoutSeven writes an item of weekdays that goes up to 7 as the list of its days,
// with 0 for the Sunday at its end: the library knows no 7. An item that is at fault
// stays, and is refused by the library.
func withoutSeven(item string) string {
	span, stepText, stepped := strings.Cut(item, "/")
	first, last, ranged := strings.Cut(span, "-")
	if !ranged {
		last = first
	}
	low, known := weekday(first)
	step := 1
	if stepped {
		step, _ = strconv.Atoi(stepText)
	}
	if last != "7" || !known || step < 1 {
		return item
	}
	var days []string
	for day := low; day <= 7; day += step {
		days = append(days, strconv.Itoa(day%7))
	}
	return strings.Join(days, ",")
}

// weekday reads a day of the week by number, up to 7, or by name.
func weekday(text string) (int, bool) {
	if n := slices.Index(weekdays, strings.ToLower(text)); n >= 0 {
		return n, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n <= 7
}
