package activities

import "time"

// Clock reads the own clock of a process. That may be far from the clock of
// Postgres, by which rows are due and held, and from those of other processes: so
// its readings are compared with one another alone.
type Clock func() time.Time

// SystemClock is the one of this process.
func SystemClock() Clock {
	return time.Now //nolint:forbidigo // everything else here asks a clock
}

// Since is how long ago a reading was taken.
func (c Clock) Since(reading time.Time) time.Duration { return c().Sub(reading) }

// PostgresTime estimates the time of Postgres without asking again: Begun is
// what Postgres said, Asked what the own clock read before it was asked and
// Answered when it had answered.
type PostgresTime struct {
	Clock
	Begun, Asked, Answered time.Time
}

// Now is the time by Postgres, behind by the way back from there at most: what is
// signed with it never comes from the future.
func (p PostgresTime) Now() time.Time { return p.Begun.Add(p.Since(p.Answered)) }

// Passed is how much time has passed since before Postgres was asked.
func (p PostgresTime) Passed() time.Duration { return p.Since(p.Asked) }
