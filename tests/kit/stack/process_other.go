//go:build !linux

package stack

import "syscall"

// ownGroup sets the process group; there is no signal of the parent's death here.
func ownGroup(given *syscall.SysProcAttr) *syscall.SysProcAttr {
	if given == nil {
		given = &syscall.SysProcAttr{}
	}
	given.Setpgid = true
	return given
}
