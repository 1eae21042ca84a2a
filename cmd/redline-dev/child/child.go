package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// Identity is the user and group a child runs as.
type Identity struct {
	UID, GID uint32
}

// Spec says what to run and how.
type Spec struct {
	// Path is the program, Args its arguments without the program's name.
	Path string
	Args []string
	// Dir is the working folder, empty for that of the parent.
	Dir string
	// Env is the whole environment of the child as name=value, nil for that of the parent.
	Env []string
	// Log is the file that takes both outputs, appended to; empty for the parent's own outputs.
	Log string
	// Input is what the child reads, nil for nothing. Output and Errors take its outputs
	// where Output is set and Log is not; without Errors those are thrown away.
	Input          io.Reader
	Output, Errors io.Writer
	// PIDFile, if set, holds the child's pid and program while it runs, for Reap.
	PIDFile string
	// As is another user for the child; only root may set it.
	As *Identity
	// Nice is how far the child gives way to others on full processors, 0 to 19 as
	// nice(1) has it; the threads and children that it makes later do so too.
	Nice int
	// DeathSignal is what the kernel sends when the parent dies; zero means SIGTERM.
	DeathSignal syscall.Signal
}

// Process is a child that was started.
type Process struct {
	name    string
	pidFile string
	cmd     *exec.Cmd
	log     *os.File
	done    chan struct{}
	err     error
}

// Start runs the child. The thread that forks it is kept until the child has
// ended, because the kernel ties the signal of a parent's death to that thread.
func Start(spec Spec) (*Process, error) {
	p := &Process{name: filepath.Base(spec.Path), pidFile: spec.PIDFile, done: make(chan struct{})}
	p.cmd = exec.Command(spec.Path, spec.Args...)
	p.cmd.Dir, p.cmd.Env = spec.Dir, spec.Env
	p.cmd.SysProcAttr = attributes(spec)
	p.cmd.Stdin = spec.Input
	if err := p.openLog(spec); err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		p.closeLog()
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	return p, errors.Join(p.writePID(), p.giveWay(spec.Nice))
}

// giveWay lowers the priority of the whole group: the child may have threads by now.
func (p *Process) giveWay(nice int) error {
	if nice == 0 {
		return nil
	}
	err := syscall.Setpriority(syscall.PRIO_PGRP, p.PID(), nice)
	switch {
	case errors.Is(err, syscall.ESRCH):
		return nil // it has ended, which its owner learns from Done
	case errors.Is(err, syscall.EACCES):
		return nil // as this process it gives way further already, which only root may take back
	default:
		return err
	}
}

// run forks and waits on one thread of its own.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	p.err = p.cmd.Wait()
	p.closeLog()
	if p.pidFile != "" {
		_ = os.Remove(p.pidFile)
	}
	close(p.done)
}

func (p *Process) openLog(spec Spec) error {
	if spec.Log == "" {
		p.cmd.Stdout, p.cmd.Stderr = os.Stdout, os.Stderr
		if spec.Output != nil {
			p.cmd.Stdout, p.cmd.Stderr = spec.Output, spec.Errors
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(spec.Log), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	p.log = file
	p.cmd.Stdout, p.cmd.Stderr = file, file
	return nil
}

func (p *Process) closeLog() {
	if p.log != nil {
		_ = p.log.Close()
	}
}

func (p *Process) writePID() error {
	if p.pidFile == "" {
		return nil
	}
	return os.WriteFile(p.pidFile, []byte(strconv.Itoa(p.PID())+"\n"+p.cmd.Path+"\n"), 0o600)
}

// PID is the child's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is how the child ended: nil for exit code 0. Meaningful once Done is closed.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Running reports whether the child has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Stop sends the signal and waits; after the grace time the whole process
// group is killed. A child that has ended already is no error.
func (p *Process) Stop(signal syscall.Signal, grace time.Duration) error {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	select {
	case <-p.done:
	case <-time.After(grace):
		_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
		<-p.done
	}
	return nil
}
