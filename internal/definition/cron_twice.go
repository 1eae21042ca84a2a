package definition

import (
	"slices"
	"time"
)

// Fits reports whether the clock of the instant's zone shows a time of the line.
func (c CronTimes) Fits(at time.Time) bool {
	day, weekday := slices.Contains(c.Days, at.Day()), slices.Contains(c.Weekdays, int(at.Weekday()))
	onDay := day && weekday
	if !c.AnyDay && !c.AnyWeekday {
		onDay = day || weekday
	}
	return onDay && slices.Contains(c.Minutes, at.Minute()) && slices.Contains(c.Hours, at.Hour()) && slices.Contains(c.Months, int(at.Month()))
}

// Twice returns the instants of the line between two others whose local times come twice,
// because the clocks of the zone are set back: of each time the first and the second one.
func (c CronTimes) Twice(zone *time.Location, from, to time.Time) []time.Time {
	var found []time.Time
	for at := from.In(zone); ; {
		_, change := at.ZoneBounds()
		if change.IsZero() || change.After(to) {
			return found
		}
		back := offset(change.Add(-time.Second)) - offset(change)
		for twice := change.Add(-back); twice.Before(change.Add(back)); twice = twice.Add(time.Minute) {
			if c.Fits(twice) {
				found = append(found, twice)
			}
		}
		at = change
	}
}

// offset is how far the clocks of an instant's zone are ahead.
func offset(at time.Time) time.Duration {
	_, seconds := at.Zone()
	return time.Duration(seconds) * time.Second
}
