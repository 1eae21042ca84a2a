package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// heartbeatEvery is how often Temporal hears that an activity is alive.
const heartbeatEvery = 3 * time.Second

// Heartbeat lets Temporal know that the activity lives, until the returned
// function is called, and what the next try of it shall find (activity.GetHeartbeatDetails). The first one comes after a while: of an activity that has ended
// meanwhile, it would be called off on the wire, and the SDK would warn of that.
func Heartbeat(ctx context.Context, details ...any) (stop func()) {
	ended := make(chan struct{})
	go func() {
		ticker := time.NewTicker(heartbeatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				activity.RecordHeartbeat(ctx, details...)
			}
		}
	}()
	return func() { close(ended) }
}
