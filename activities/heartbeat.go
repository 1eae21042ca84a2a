package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// heartbeatEvery is how often Temporal hears that an activity is alive.
const heartbeatEvery = 3 * time.Second

// Heartbeat lets Temporal know that the activity lives, until the returned
// function is called.
func Heartbeat(ctx context.Context) (stop func()) {
	ended := make(chan struct{})
	go func() {
		ticker := time.NewTicker(heartbeatEvery)
		defer ticker.Stop()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-ended:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
	return func() { close(ended) }
}
