//go:build !linux

package embed

// yielding runs the model for a passage. Only on Linux a thread has a priority of its own.
func yielding(run func() error) error { return run() }
