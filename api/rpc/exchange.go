package rpc

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/redline-svc/redline/models/workspace"
)

// exchange is one request and its answer on their way through the pipeline.
type exchange struct {
	route   *Route
	http    *gin.Context
	caller  workspace.Caller
	started time.Time
	// body holds the request, then the answer.
	body    *bytes.Buffer
	bytesIn int64
	ignored [][]string
	// closing means that the rest of the request is not read, so the
	// connection cannot serve another one.
	closing bool
	// uncount takes back what the call counted under its limit; nil where it counted nothing.
	uncount func()
	// weigh counts so much more for what it has changed.
	weigh func(more int) error
	// room is what it holds of the bytes of requests that are under way, memory of what these
	// read and answer, roomOf for whom, of the share of anonymous callers until its workspace is known. reads is what the operation has said that it reads.
	room, memory, reads int64
	roomOf              string
	share               *share
	server              *Server
}

// exchangeKey finds the exchange in a context.
type exchangeKey struct{}

// CallerFrom returns who calls the operation that ctx belongs to. Outside of an
// operation it is the zero value, whose empty workspace no query accepts.
func CallerFrom(ctx context.Context) workspace.Caller {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x.caller
	}
	return workspace.Caller{}
}

// SetHeader adds a header to the answer of the operation that ctx belongs to.
func SetHeader(ctx context.Context, name, value string) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		x.http.Writer.Header().Set(name, value)
	}
}

// header returns the answer's headers.
func (x *exchange) header() http.Header { return x.http.Writer.Header() }

// readBy sets when reading the rest of the request ends in an error; the zero
// time is never. A test's recorder has no deadlines, which is no loss.
func (x *exchange) readBy(at time.Time) {
	_ = http.NewResponseController(x.http.Writer).SetReadDeadline(at)
}

// request returns the request.
func (x *exchange) request() *http.Request { return x.http.Request }
