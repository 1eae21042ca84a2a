package stack

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
)

const (
	// stopSignal asks a child to end in order.
	stopSignal = syscall.SIGTERM
	// reapGrace is how long a child of a killed run may take to end.
	reapGrace = 10 * time.Second
	// readyLimit is how long a part may take to answer; recovery after a kill is part of it.
	readyLimit = 2 * time.Minute
)

// part is a child process of the stack that can be stopped and started.
type part struct {
	name string
	// log is where its output goes.
	log string
	// launch starts the process; ready waits until it answers.
	launch func(ctx context.Context) (*child.Process, error)
	ready  func(ctx context.Context) error
	// signal and grace are how it is stopped.
	signal syscall.Signal
	grace  time.Duration
	// broken is told when the process ends without having been asked to.
	broken chan<- error

	mu      sync.Mutex
	process *child.Process
	wanted  bool
}

// start launches the part and waits until it answers. A part that runs is left alone.
func (p *part) start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process != nil && p.process.Running() {
		return nil
	}
	process, err := p.launch(ctx)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	p.process, p.wanted = process, true
	if err := p.awaitReady(ctx, process); err != nil {
		return err
	}
	go p.watch(process)
	return nil
}

// awaitReady waits for the part's answer, its end, or the limit.
func (p *part) awaitReady(ctx context.Context, process *child.Process) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	answered := make(chan error, 1)
	go func() { answered <- p.ready(ctx) }()
	select {
	case err := <-answered:
		if err != nil {
			return fmt.Errorf("%s does not get ready; its log is %s: %w", p.name, p.log, err)
		}
		return nil
	case <-process.Done():
		return fmt.Errorf("%s ended at its start; its log is %s", p.name, p.log)
	}
}

// watch reports an end that nobody asked for.
func (p *part) watch(process *child.Process) {
	<-process.Done()
	p.mu.Lock()
	unasked := p.wanted && p.process == process
	p.mu.Unlock()
	if unasked {
		how := "without an error"
		if err := process.Err(); err != nil {
			how = err.Error()
		}
		p.broken <- fmt.Errorf("%s ended by itself (%s); its log is %s", p.name, how, p.log)
	}
}

// stop ends the part with the signal. One that does not run is no error.
func (p *part) stop(signal syscall.Signal) error {
	p.mu.Lock()
	process := p.process
	p.wanted = false
	p.mu.Unlock()
	if process == nil {
		return nil
	}
	return process.Stop(signal, p.grace)
}

// state is what GET /dev/parts shows.
type state struct {
	Name    string `json:"name"`
	PID     int    `json:"pid"`
	Running bool   `json:"running"`
}

func (p *part) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := state{Name: p.name}
	if p.process != nil {
		now.PID, now.Running = p.process.PID(), p.process.Running()
	}
	return now
}
