package rpc

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/redline-svc/redline/internal/fault"
)

// downloadTime is how long the bytes of a download may take.
const downloadTime = 10 * time.Minute

// Outgoing is the file that a signed address gives.
type Outgoing struct {
	WorkspaceID string
	// Open finds the file. The context ends where no first byte has come in the
	// time of an answer, and else with the request.
	Open func(ctx context.Context) (*File, error)
}

// File is a file that is given out.
type File struct {
	Content io.ReadSeekCloser
	// Name is offered for saving it.
	Name, MimeType string
}

// Download makes the route that returns a file, or a range of it, at a signed
// address. The path ends in {token}; find returns what the token leads to,
// NOT_FOUND for a wrong one.
func Download(path string, find func(ctx context.Context, token string) (*Outgoing, error), options ...Option) Route {
	return signedRoute(http.MethodGet, path, func(s *Server) answering {
		return func(ctx context.Context, x *exchange) (any, error) { return written{}, s.sendFile(ctx, x, find) }
	}, options)
}

// sendFile is the GET of a download.
func (s *Server) sendFile(ctx context.Context, x *exchange, find func(context.Context, string) (*Outgoing, error)) error {
	x.readBy(time.Time{}) // nothing comes any more, and its end would end a long download
	setWriteTime(x, downloadTime)
	found, err := lookUp(ctx, s, x, find)
	if found != nil {
		x.caller.WorkspaceID = found.WorkspaceID
	}
	if err := s.admitSigned(ctx, x, err); err != nil {
		return err
	}
	if err := s.makeRoom(ctx, x, passedOn); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begun := time.AfterFunc(s.answerTime, func() { cancel(context.DeadlineExceeded) })
	defer begun.Stop()
	file, err := found.Open(ctx)
	if err != nil {
		return lateStart(ctx, err)
	}
	defer func() { _ = file.Content.Close() }()
	sent := &offered{File: file, begun: begun.Stop}
	return lateStart(ctx, sent.send(x.http))
}

// offered is a file that is served.
type offered struct {
	*File
	// begun is called with the first bytes.
	begun func() bool
	// failed is what the store said instead of giving more.
	failed error
}

// Read returns the next bytes.
func (f *offered) Read(into []byte) (int, error) {
	n, err := f.Content.Read(into)
	if n > 0 {
		f.begun()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		f.failed = err
	}
	return n, err
}

// Seek goes to another offset of the file.
func (f *offered) Seek(offset int64, whence int) (int64, error) {
	at, err := f.Content.Seek(offset, whence)
	if err != nil {
		f.failed = err
	}
	return at, err
}

// send writes the file, or the range of it that is asked for. An error may come
// after a part of the file; its caller learns of it by the length.
func (f *offered) send(c *gin.Context) error {
	header := c.Writer.Header()
	header.Set("Content-Type", f.MimeType)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	// Several ranges would be read by a goroutine that outlives the answer.
	if strings.Contains(c.Request.Header.Get("Range"), ",") {
		c.Request.Header.Del("Range")
	}
	w := &fileWriter{ResponseWriter: c.Writer}
	http.ServeContent(w, c.Request, "", time.Time{}, f)
	if f.failed == nil && w.refused == 0 {
		c.Writer.WriteHeaderNow() // a file without bytes, or one that the caller has
		return nil
	}
	if !c.Writer.Written() {
		setFixedHeaders(header, header.Get(headerRequestID)) // net/http has dropped some
		header.Del("Content-Disposition")
		header.Del("Accept-Ranges")
	}
	if f.failed != nil {
		header.Del("Content-Range")
		return fault.Unavailable(f.failed)
	}
	return refusedFile(w.refused)
}

// fileWriter keeps back what net/http says instead of a file, so that it can be
// said as everywhere else.
type fileWriter struct {
	http.ResponseWriter

	refused int
}

// WriteHeader passes the code of a file on and keeps that of a refusal.
func (w *fileWriter) WriteHeader(code int) {
	if code >= http.StatusBadRequest {
		w.refused = code
		return
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write passes a file on and drops the text of a refusal.
func (w *fileWriter) Write(text []byte) (int, error) {
	if w.refused != 0 {
		return len(text), nil
	}
	return w.ResponseWriter.Write(text)
}

// refusedFile is the error for a code with which net/http refuses a file.
func refusedFile(code int) error {
	var e *fault.Error
	switch code {
	case http.StatusRequestedRangeNotSatisfiable:
		e = fault.InvalidReason("range", "the file has no such range; ask for bytes within its size")
	case http.StatusPreconditionFailed:
		e = fault.FailedPrecondition("if-match", "the file has no such tag; ask without if-match")
	default:
		return fault.Internal(errors.New(http.StatusText(code)))
	}
	e.HTTPCode = code
	return e
}
