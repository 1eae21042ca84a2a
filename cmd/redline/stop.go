package main

import (
	"context"
	"errors"
	"time"
)

const (
	// cutOff is how long requests get to answer that they were cancelled.
	cutOff = 2 * time.Second
	// flushTime is how long sending the last traces may take.
	flushTime = 5 * time.Second
)

// stop ends the process in order: unready while still serving, for as long as
// it takes whoever balances load to notice; no new requests; those under way
// end, or are cut off; then the work; then the rest.
func (p *process) stop(flush func(context.Context) error) error {
	if p.opsRun != nil {
		p.ops.Stopping()
	}
	p.log.Info("stopping")
	var errs []error
	if p.serving {
		errs = append(errs, p.stopPublic())
	}
	p.stopWork()
	p.work.Wait()
	p.stopRest()
	if p.opsRun != nil {
		errs = append(errs, p.opsRun.Close())
	}
	p.rest.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	errs = append(errs, flush(ctx))
	p.close()
	p.log.Info("stopped")
	return errors.Join(errs...)
}

// pause is replaced by tests, which end it themselves.
var pause = time.Sleep

// stopPublic closes the interface.
func (p *process) stopPublic() error {
	pause(p.conf.Stop.Delay)
	err := p.shutdown(p.conf.Stop.Timeout)
	if err == nil {
		return nil
	}
	p.log.Warn("requests were cut off at the stop")
	p.cancelRequests()
	if p.shutdown(cutOff) == nil {
		return nil
	}
	err = p.public.Close()
	if p.pages != nil {
		err = errors.Join(err, p.pages.Close())
	}
	return err
}

// shutdown takes no more requests and waits for those under way.
func (p *process) shutdown(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if p.pages == nil {
		return p.public.Shutdown(ctx)
	}
	// The pages first: they are answered by the interface.
	return errors.Join(p.pages.Shutdown(ctx), p.public.Shutdown(ctx))
}
