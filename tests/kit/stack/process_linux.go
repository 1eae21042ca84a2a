package stack

import "syscall"

// ownGroup sets the process group and what happens when the parent dies.
func ownGroup(given *syscall.SysProcAttr) *syscall.SysProcAttr {
	if given == nil {
		given = &syscall.SysProcAttr{}
	}
	given.Setpgid, given.Pdeathsig = true, syscall.SIGTERM
	return given
}
