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
// what Postgres said, Asked what the own clock read before it was asked. The
// estimate is ahead of Postgres by the way there at most.
type PostgresTime struct {
	Clock
	Begun, Asked time.Time
}

// Now is the time by Postgres.
func (p PostgresTime) Now() time.Time { return p.Begun.Add(p.Passed()) }

// Passed is how much time has passed since before Postgres was asked.
func (p PostgresTime) Passed() time.Duration { return p.Since(p.Asked) }
