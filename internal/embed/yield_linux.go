package embed

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// background is the nice value of threads that embed passages: with a tenth of the usual
// weight, and as much as the Temporal that redline-dev starts, they take what others leave.
// With 5 they take three times as much as Temporal, which then misses its own limits
// of time; with 15 a text waits for over a minute while others keep all cores busy.
const background = 10

// yielding runs the model for a passage behind whatever else this machine has to do: a
// source of 20 MiB keeps all cores busy for minutes, and the database and Temporal of
// everybody else may be on the same ones.
func yielding(run func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()                                 // for good: a thread may not raise its priority again, so it ends with this
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, background) // else at the usual priority
		done <- run()
	}()
	return <-done
}
