package memory

import (
	"context"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/knowledge"
)

const (
	// turnLook is how often a PUT looks whether it is its turn, turnAgain how often one that
	// has it asks for longer.
	turnLook, turnAgain = 250 * time.Millisecond, 5 * time.Second
	// turnWait is how long a PUT waits at most, as long as another one may take.
	turnWait = 10 * time.Minute
)

// inTurn does a PUT when no other one of its address goes on, in whatever process. Nothing
// of it is read before: where the one before it wins, it is refused, and where that one
// breaks off it is taken.
func (k *Knowledge) inTurn(ctx context.Context, u *knowledge.Upload, put func() (*UploadedFile, error)) (any, error) {
	name := id.Token("put")
	if err := k.awaitTurn(ctx, u, name); err != nil {
		return nil, err
	}
	defer k.keepTurn(ctx, u, name)()
	return put()
}

func (k *Knowledge) awaitTurn(ctx context.Context, u *knowledge.Upload, name string) error {
	ctx, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	for {
		taken, waits, err := k.Store.TakeTurn(ctx, u, name)
		switch {
		case err != nil || taken:
			return err
		case !waits:
			return alreadyUploaded()
		}
		select {
		case <-ctx.Done():
			return fault.Late(ctx.Err())
		case <-time.After(turnLook):
		}
	}
}

// keepTurn keeps the turn until the function that it gives is called, which ends it. One
// that cannot be kept does no harm: of two files the first whole one is taken.
func (k *Knowledge) keepTurn(ctx context.Context, u *knowledge.Upload, name string) (end func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		again := time.NewTicker(turnAgain)
		defer again.Stop()
		for {
			select {
			case <-stop:
				return
			case <-again.C:
				own, cancel := context.WithTimeout(ctx, turnAgain)
				_, _, _ = k.Store.TakeTurn(own, u, name)
				cancel()
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropLimit)
		defer cancel()
		_ = k.Store.EndTurn(own, u, name)
	}
}
