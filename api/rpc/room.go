package rpc

import (
	"cmp"
	"context"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
)

const (
	// roomOfAll is how many bytes of requests a process has under way at once, roomOfOne how
	// many of them are one workspace's.
	roomOfAll = 256 << 20
	roomOfOne = roomOfAll / 4
	// roomTime is how long a request waits for room.
	roomTime = 20 * time.Second
	// streamed is what a body counts that is passed on while it comes.
	streamed = 1 << 20
)

// bodySize is how many bytes of a body are read: what it declares, within the limit.
func bodySize(x *exchange) int64 {
	if declared := x.request().ContentLength; declared >= 0 {
		return min(declared, x.route.BodyLimit)
	}
	return x.route.BodyLimit
}

// makeRoom waits until so many bytes have room beside those of other requests under way: of
// the caller's workspace or, while nobody is known, of its address. The request keeps the
// room to its end. Error: RESOURCE_EXHAUSTED busy.
func (s *Server) makeRoom(ctx context.Context, x *exchange, size int64) error {
	own, cancel := context.WithTimeout(ctx, roomTime)
	defer cancel()
	of := cmp.Or(x.caller.WorkspaceID, limit.Address(x.caller.IP))
	if err := s.room.Acquire(own, of, size); err != nil {
		x.closing = true
		return fault.Busy()
	}
	x.room, x.roomOf = size, of
	return nil
}
