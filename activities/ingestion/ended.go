package ingestion

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redline-svc/redline/models/knowledge"
)

// lookEvery is how often a stage looks whether its version is still in work: one
// that was deleted, replaced or given up takes no more of the processor.
const lookEvery = 3 * time.Second

// errEnded is a stage that was broken off because its version has ended.
var errEnded = errors.New("the version has ended")

// whileInWork does the work of a stage. Its context ends with the version; then
// the error is errEnded.
func (i *Activities) whileInWork(ctx context.Context, v knowledge.VersionRef, work func(context.Context) error) error {
	own, cancel := context.WithCancelCause(ctx)
	var looking sync.WaitGroup
	looking.Go(func() { i.lookForEnd(own, v, cancel) })
	err := work(own)
	ended := errors.Is(context.Cause(own), errEnded)
	cancel(nil)
	looking.Wait()
	if err != nil && ended {
		return errEnded
	}
	return err
}

// lookForEnd ends the work once the version has ended. A look that fails says
// nothing; the next one does.
func (i *Activities) lookForEnd(ctx context.Context, v knowledge.VersionRef, end context.CancelCauseFunc) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if inWork, err := i.Rows.InWork(ctx, v); err == nil && !inWork {
			end(errEnded)
			return
		}
	}
}
