//go:build !linux

package linear

import "time"

// started is when the clock began to be read.
var started = time.Now()

// used is the time that has passed: not every system counts it by thread.
func used() time.Duration { return time.Since(started) }
