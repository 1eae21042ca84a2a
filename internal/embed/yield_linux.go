package embed

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// background is the nice value of threads that embed passages: with a thirtieth of the
// usual weight, and a third of that of the engine that redline dev starts, they take what
// others leave.
const background = 15

// yielding runs the model for a passage behind whatever else this machine has to do: a
// source of 20 MiB keeps all cores busy for minutes, and the database and the engine of
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
