package activities

import "time"

// clock reads the own clock of a process. That may be far from the clock of
// Postgres, by which rows are due and held, and from those of other processes: so
// its readings are compared with one another alone.
type clock func() time.Time

// ownClock is the one of this process.
func ownClock() clock {
	return time.Now //nolint:forbidigo // everything else here asks a clock
}

// since is how long ago a reading was taken.
func (c clock) since(reading time.Time) time.Duration { return c().Sub(reading) }

// reckoning tells what time it is by Postgres without asking it again: begun is
// a time of Postgres, asked what the own clock read before Postgres was asked for
// it. It is ahead of Postgres by the way there at most.
type reckoning struct {
	clock
	begun, asked time.Time
}

func (r reckoning) now() time.Time { return r.begun.Add(r.passed()) }

// passed is how much time has passed since before Postgres was asked.
func (r reckoning) passed() time.Duration { return r.since(r.asked) }
