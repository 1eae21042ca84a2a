//go:build !linux

package confined

import (
	"syscall"
	"time"
)

// limitMemory cannot bound the memory of a process here.
func limitMemory() error { return nil }

// limitTime cannot bound the time of the processor here.
func limitTime(time.Duration) error { return nil }

// ofItsOwn puts a process into a group of its own, which Ctrl-C does not reach.
func ofItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
