package activities

import "time"

const (
	// StoreLimit is how long one statement of an activity may take.
	StoreLimit = 10 * time.Second
	// RetryFirst is the pause before an outcome that could not be stored is offered
	// again for the first time.
	RetryFirst = 100 * time.Millisecond
	// RetryLongest is the longest such pause.
	RetryLongest = 2 * time.Second
)
