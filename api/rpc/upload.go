package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"github.com/redline-svc/redline/internal/fault"
)

// uploadTime is how long the bytes of an upload may take.
const uploadTime = 10 * time.Minute

// Incoming is the file that a signed address takes.
type Incoming struct {
	WorkspaceID string
	// MimeType is the one type that is taken, Size the number of bytes.
	MimeType string
	Size     int64
	// Refused is why the address takes nothing now; nil when it does.
	Refused error
	// Store keeps the content and returns the result. A reader of other bytes than
	// Size fails, and so must Store then; what the caller is answered follows
	// from the reader's error.
	Store func(ctx context.Context, content io.Reader) (any, error)
}

// Upload makes the route that takes a file at a signed address. The path ends in
// {token}; find returns what the token leads to, NOT_FOUND for a wrong one.
func Upload(path string, find func(ctx context.Context, token string) (*Incoming, error), options ...Option) Route {
	return signedRoute(http.MethodPut, path, func(s *Server) answering {
		return func(ctx context.Context, x *exchange) (any, error) { return s.receiveFile(ctx, x, find) }
	}, options)
}

// receiveFile is the PUT of an upload: exactly the bytes that were announced.
func (s *Server) receiveFile(ctx context.Context, x *exchange, find func(context.Context, string) (*Incoming, error)) (any, error) {
	setWriteTime(x, uploadTime+writeTime)
	x.readBy(time.Now().Add(uploadTime))
	file, err := lookUp(ctx, s, x, find)
	if file != nil {
		x.caller.WorkspaceID = file.WorkspaceID
	}
	if err = s.admitSigned(ctx, x, err); err == nil {
		err = file.accepts(x.request())
	}
	if err == nil {
		err = s.makeRoom(ctx, x, streamed)
	}
	if err != nil {
		x.closing = true
		return nil, err
	}
	body := &measured{from: x.request().Body, want: file.Size}
	result, err := file.Store(ctx, body)
	x.bytesIn = body.got
	x.closing = body.got != body.want
	if body.failed != nil {
		return nil, body.fault()
	}
	return result, err
}

// accepts looks at the address and the headers.
func (f *Incoming) accepts(r *http.Request) error {
	declared, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case f.Refused != nil:
		return f.Refused
	case err != nil || declared != f.MimeType:
		return fault.InvalidReason("content-type", "the content type must be "+f.MimeType)
	case r.ContentLength > f.Size:
		return fault.TooLarge(f.Size)
	case r.ContentLength >= 0 && r.ContentLength < f.Size:
		return tooShort(f.Size)
	default:
		return nil
	}
}

func tooShort(size int64) error {
	return fault.InvalidReason("file-size", fmt.Sprintf("the file must have exactly %d bytes", size))
}

// Faults of a body: other bytes than declared, or a caller that broke off.
var (
	errLong   = errors.New("more bytes than declared")
	errShort  = errors.New("fewer bytes than declared")
	errBroken = errors.New("the connection broke")
)

// measured reads a body of exactly so many bytes.
type measured struct {
	from      io.Reader
	want, got int64
	// failed is why the body cannot be read to its end.
	failed error
}

// Read returns the next bytes, or an error once there are more or fewer than
// wanted.
func (m *measured) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	m.got += int64(n)
	switch {
	case m.got > m.want:
		m.failed = errLong
	case errors.Is(err, io.EOF) && m.got < m.want:
		m.failed = errShort
	case err != nil && !errors.Is(err, io.EOF):
		m.failed = errors.Join(errBroken, err)
	default:
		return n, err
	}
	return 0, m.failed
}

// fault is the answer to a body that failed.
func (m *measured) fault() error {
	switch {
	case errors.Is(m.failed, errLong):
		return fault.TooLarge(m.want)
	case errors.Is(m.failed, os.ErrDeadlineExceeded):
		return slowBody(m.failed)
	default:
		return tooShort(m.want)
	}
}
