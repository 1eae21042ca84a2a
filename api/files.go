package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/fault"
)

// Routes of the signed addresses, as they are named in logs and metrics.
var (
	routeTakeFile = Route{Path: filesPath + "{token} PUT", spec: spec{level: LevelSigned}}
	routeSendFile = Route{Path: filesPath + "{token} GET", spec: spec{level: LevelSigned}}
)

// mountFiles mounts the signed addresses, which carry their credentials in
// themselves.
func (s *Server) mountFiles(k *Knowledge) {
	if k == nil {
		return
	}
	s.engine.PUT(filesPath+":token", s.handle(&routeTakeFile, func(ctx context.Context, x *exchange) (any, error) {
		return s.takeFile(ctx, x, k)
	}))
	s.engine.GET(filesPath+":token", s.handle(&routeSendFile, func(ctx context.Context, x *exchange) (any, error) {
		return written{}, s.sendFile(ctx, x, k)
	}))
}

// takeFile is the PUT of an upload.
func (s *Server) takeFile(ctx context.Context, x *exchange, k *Knowledge) (any, error) {
	setWriteTime(x, uploadTime+writeTime)
	x.readBy(time.Now().Add(uploadTime))
	u, err := k.uploadOf(ctx, x.http.Param("token"))
	if u != nil {
		x.caller.WorkspaceID = u.WorkspaceID
	}
	if err := s.admitSigned(ctx, x, err); err != nil {
		x.closing = true
		return nil, err
	}
	return k.takeFile(ctx, x, u)
}

// sendFile is the GET of a download.
func (s *Server) sendFile(ctx context.Context, x *exchange, k *Knowledge) error {
	x.readBy(time.Time{}) // nothing comes any more, and its end would end a long download
	setWriteTime(x, downloadTime)
	d, err := k.readToken(x.http.Param("token"))
	x.caller.WorkspaceID = d.WorkspaceID
	if err := s.admitSigned(ctx, x, err); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begun := time.AfterFunc(s.answerTime, func() { cancel(context.DeadlineExceeded) })
	defer begun.Stop()
	file, err := k.openFile(ctx, d)
	if err != nil {
		return lateStart(ctx, err)
	}
	defer func() { _ = file.Close() }()
	file.begun = begun.Stop
	return lateStart(ctx, file.send(x.http))
}

// lateStart tells the error of a file whose first byte did not come in time.
func lateStart(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fault.Late(err)
	}
	return err
}

// setWriteTime gives an answer that long. A test's recorder has no deadlines.
func setWriteTime(x *exchange, d time.Duration) {
	_ = http.NewResponseController(x.http.Writer).SetWriteDeadline(time.Now().Add(d))
}

// admitSigned goes on from what came of looking for the token of a signed
// address: one that leads nowhere counts like wrong credentials.
func (s *Server) admitSigned(ctx context.Context, x *exchange, found error) error {
	return s.inTime(ctx, func(ctx context.Context) error {
		switch {
		case fault.Is(found, fault.NotFound):
			return s.stranger(ctx, x, found)
		case found != nil:
			return found
		default:
			return s.checkOrigin(ctx, x)
		}
	})
}

// offered is a file that is served.
type offered struct {
	blob.Reader

	name, mimeType string
	// begun is told of the first bytes.
	begun func() bool
	// failed is what the store said instead of giving more.
	failed error
}

// Read gives the next bytes.
func (f *offered) Read(into []byte) (int, error) {
	n, err := f.Reader.Read(into)
	if n > 0 {
		f.begun()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		f.failed = err
	}
	return n, err
}

// Seek goes to another place of the file.
func (f *offered) Seek(offset int64, whence int) (int64, error) {
	at, err := f.Reader.Seek(offset, whence)
	if err != nil {
		f.failed = err
	}
	return at, err
}

// send writes the file, or the range of it that is asked for. An error may come
// after a part of the file; its caller learns of it by the length.
func (f *offered) send(c *gin.Context) error {
	header := c.Writer.Header()
	header.Set("Content-Type", f.mimeType)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.name}))
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
		return fault.Away(f.failed)
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
		e = fault.Precondition("if-match", "the file has no such tag; ask without if-match")
	default:
		return fault.Unexpected(errors.New(http.StatusText(code)))
	}
	e.HTTPCode = code
	return e
}
