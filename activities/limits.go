package activities

import "time"

const (
	// StoreLimit is how long one statement of an activity may take.
	StoreLimit = 10 * time.Second
	// RetryFirst and RetryLongest bound the pause before an outcome that could not
	// be stored is offered again.
	RetryFirst   = 100 * time.Millisecond
	RetryLongest = 2 * time.Second
)
