package child

import "syscall"

// attributes sets the process group, the user and the signal of the parent's death.
func attributes(spec Spec) *syscall.SysProcAttr {
	signal := spec.DeathSignal
	if signal == 0 {
		signal = syscall.SIGTERM
	}
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: signal}
	if spec.As != nil {
		attr.Credential = &syscall.Credential{Uid: spec.As.UID, Gid: spec.As.GID}
	}
	return attr
}
