package rpc

import (
	"cmp"
	"context"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/slots"
)

// share is what either all workspaces or all anonymous callers have of a process. They are apart since one caller may have any
// number of addresses: workspaces lose nothing to them.
type share struct {
	// room is for the bytes of requests under way, memory for what these read and answer.
	room, memory *slots.Slots
}

const (
	// roomOfAll is how many bytes of requests of workspaces a process has under way at once, roomOfOne how
	// many of them are one workspace's; roomOfAnonymous and roomOfAddress are the same of anonymous callers.
	roomOfAll       = 256<<20 - roomOfAnonymous
	roomOfOne       = 64 << 20
	roomOfAnonymous = 32 << 20
	roomOfAddress   = 8 << 20
	// roomTime is how long a request waits for room.
	roomTime = 20 * time.Second
	// streamed is what a body counts that is passed on while it comes, passedOn what a file does that is given out.
	streamed, passedOn = 1 << 20, 64 << 10
)

// Beside its body a call has in memory what it reads and what it answers, with all that is
// stored of it.
const (
	// memoryOfAll is how much of that the workspaces of a process have at once, memoryOfOne how much of it one
	// workspace, memoryOfCall one call; memoryOfAnonymous is what anonymous callers have, one address no more than a call.
	memoryOfAll       = 512<<20 - memoryOfAnonymous
	memoryOfOne       = 128 << 20
	memoryOfCall      = 64 << 20
	memoryOfAnonymous = 128 << 20
	// memoryPerByte is what may come to be stored of a byte of a body: with each comment its
	// author as known.
	memoryPerByte = 32
	// DefaultReads is what an operation reads and answers that answers with no page.
	DefaultReads = 2 << 20
)

// takeMemory waits until the call, whose body is read, has room for what it reads and answers
// beside other calls, as makeRoom does for the body. Error: RESOURCE_EXHAUSTED busy.
func (s *Server) takeMemory(ctx context.Context, x *exchange) error {
	own, cancel := context.WithTimeout(ctx, roomTime)
	defer cancel()
	size := min(memoryOfCall, max(x.route.Reads, x.reads)+memoryPerByte*x.bytesIn)
	if err := x.share.memory.Acquire(own, x.roomOf, size); err != nil {
		return fault.Busy()
	}
	x.memory = size
	return nil
}

// Waiting runs what waits for somebody outside before the operation of ctx has read anything.
// Meanwhile the call holds no memory for what it is going to read. Error: RESOURCE_EXHAUSTED
// busy.
func Waiting(ctx context.Context, wait func()) error {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		wait()
		return nil
	}
	s := x.server
	x.share.memory.Release(x.roomOf, x.memory)
	x.memory = 0
	wait()
	return s.takeMemory(ctx, x)
}

// Reading makes room for what the operation of ctx is going to read and answer, where that depends on what it asks for. What
// it held is given back first, so that no call waits for others of its workspace while these wait for it. Error:
// RESOURCE_EXHAUSTED busy.
func Reading(ctx context.Context, bytes int64) error {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil
	}
	x.share.memory.Release(x.roomOf, x.memory)
	x.memory, x.reads = 0, bytes
	return x.server.takeMemory(ctx, x)
}

// keepMemory releases what a call took beyond its answer, which is in memory until the
// caller has read it.
func (s *Server) keepMemory(x *exchange, answer int) {
	if kept := min(x.memory, int64(answer)); kept < x.memory {
		x.share.memory.Release(x.roomOf, x.memory-kept)
		x.memory = kept
	}
}

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
	if x.caller.WorkspaceID != "" {
		x.share = &s.workspaces
	}
	if err := x.share.room.Acquire(own, of, size); err != nil {
		x.closing = true
		return fault.Busy()
	}
	x.room, x.roomOf = size, of
	return nil
}
