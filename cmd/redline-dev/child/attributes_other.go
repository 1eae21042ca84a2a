//go:build !linux

package child

import "syscall"

// attributes sets the process group and the user. There is no signal of the
// parent's death here; Reap ends at the next start what was left over.
func attributes(spec Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if spec.As != nil {
		attr.Credential = &syscall.Credential{Uid: spec.As.UID, Gid: spec.As.GID}
	}
	return attr
}
