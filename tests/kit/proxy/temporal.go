package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// frameLimit is above the largest message Temporal sends or takes.
const frameLimit = 128 << 20

// Temporal is a gRPC proxy in front of Temporal.
type Temporal struct {
	address string
	target  *grpc.ClientConn

	mu     sync.Mutex
	server *grpc.Server
	rules  []*rule
	calls  map[string]int
}

// rule holds the calls of one method whose request fits.
type rule struct {
	*Hold
	method string
	fits   func(request []byte) bool
	reply  bool
}

// NewTemporal listens on a free loopback port and forwards to target (host:port).
func NewTemporal(target string) (*Temporal, error) {
	conn, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(frameLimit), grpc.MaxCallSendMsgSize(frameLimit)))
	if err != nil {
		return nil, err
	}
	e := &Temporal{target: conn, address: "127.0.0.1:0", calls: map[string]int{}}
	if err := e.Up(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return e, nil
}

// Addr returns host:port of the proxy, the same over Down and Up.
func (e *Temporal) Addr() string { return e.address }

// Up takes connections again.
func (e *Temporal) Up() error {
	listener, err := net.Listen("tcp", e.address)
	if err != nil {
		return fmt.Errorf("Temporal proxy: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.address = listener.Addr().String()
	e.server = grpc.NewServer(grpc.ForceServerCodec(raw{}), grpc.UnknownServiceHandler(e.forward),
		grpc.MaxRecvMsgSize(frameLimit), grpc.MaxSendMsgSize(frameLimit))
	go func(server *grpc.Server) { _ = server.Serve(listener) }(e.server)
	return nil
}

// Down breaks every connection and refuses new ones.
func (e *Temporal) Down() {
	e.mu.Lock()
	server := e.server
	e.mu.Unlock()
	server.Stop()
}

// Close ends the proxy for good and lets go of all that is held.
func (e *Temporal) Close() error {
	e.mu.Lock()
	for _, rule := range e.rules {
		rule.Release()
	}
	e.mu.Unlock()
	e.Down()
	return e.target.Close()
}

// HoldRequest stops calls of the method (its last path segment) before they are
// forwarded. fits looks at the request's bytes, in which ids stand in clear;
// nil takes every call.
func (e *Temporal) HoldRequest(method string, fits func([]byte) bool) *Hold {
	return e.hold(&rule{Hold: newHold(), method: method, fits: fits})
}

// HoldReply forwards calls of the method and stops their answers.
func (e *Temporal) HoldReply(method string, fits func([]byte) bool) *Hold {
	return e.hold(&rule{Hold: newHold(), method: method, fits: fits, reply: true})
}

func (e *Temporal) hold(r *rule) *Hold {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rules = append(e.rules, r)
	return r.Hold
}

// Calls returns how many requests of the method were forwarded so far.
func (e *Temporal) Calls(method string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls[method]
}

// pick finds the rules of one call and counts it.
func (e *Temporal) pick(method string, request []byte) (before, after []*Hold) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.rules {
		switch {
		case r.method != method || (r.fits != nil && !r.fits(request)):
		case r.reply:
			after = append(after, r.Hold)
		default:
			before = append(before, r.Hold)
		}
	}
	return before, after
}

func (e *Temporal) count(method string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls[method]++
}

// forward carries one unary call; Temporal's interface has no streams.
func (e *Temporal) forward(_ any, stream grpc.ServerStream) error {
	full, ok := grpc.MethodFromServerStream(stream)
	if !ok {
		return status.Error(codes.Internal, "call without a method")
	}
	var request []byte
	if err := stream.RecvMsg(&request); err != nil {
		return err
	}
	method := full[strings.LastIndexByte(full, '/')+1:]
	before, after := e.pick(method, request)
	if err := stand(stream.Context(), before); err != nil {
		return err
	}
	e.count(method)
	reply, err := e.ask(stream, full, request)
	if held := stand(stream.Context(), after); held != nil {
		return held
	}
	if err != nil {
		return err
	}
	return stream.SendMsg(&reply)
}

// ask makes the call to Temporal with the caller's metadata and deadline.
func (e *Temporal) ask(stream grpc.ServerStream, method string, request []byte) ([]byte, error) {
	ctx := stream.Context()
	if incoming, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, incoming.Copy())
	}
	var header, trailer metadata.MD
	var reply []byte
	err := e.target.Invoke(ctx, method, &request, &reply, grpc.Header(&header), grpc.Trailer(&trailer))
	if sent := stream.SetHeader(header); sent != nil && err == nil {
		err = sent
	}
	stream.SetTrailer(trailer)
	return reply, err
}

func stand(ctx context.Context, holds []*Hold) error {
	for _, hold := range holds {
		if err := hold.wait(ctx); err != nil {
			return status.FromContextError(err).Err()
		}
	}
	return nil
}

// raw passes messages on without reading them.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(message any) ([]byte, error) {
	frame, ok := message.(*[]byte)
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	return *frame, nil
}

func (raw) Unmarshal(data []byte, message any) error {
	frame, ok := message.(*[]byte)
	if !ok {
		return io.ErrUnexpectedEOF
	}
	*frame = append([]byte(nil), data...)
	return nil
}
