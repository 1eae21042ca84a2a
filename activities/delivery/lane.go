package delivery

import "github.com/redline-svc/redline/internal/contract"

// lane is the task queue that a dispatcher came from.
type lane uint8

const (
	fastLane lane = iota
	slowLane      // endpoints that keep failing
)

// SlowShare is the share of the slow lane: one in so many dispatchers and slots.
const SlowShare = 4

func laneOf(queue string) lane {
	if queue == contract.QueueSlowDeliveries {
		return slowLane
	}
	return fastLane
}
