package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/fault"
)

// textBlock is how many bytes of a text are in memory at once.
const textBlock = 64 << 10

// Text is a result that is written as a JSON string while it is read, so that a long one
// takes no memory. Without Open it is null.
type Text struct {
	// Open begins to read the text, which is UTF-8. The context ends where nothing has
	// come in the time of an answer, and else with the request.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// UnmarshalJSON reads a string or null.
func (t *Text) UnmarshalJSON(text []byte) error {
	var content *string
	if err := json.Unmarshal(text, &content); err != nil || content == nil {
		return err
	}
	t.Open = func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(*content)), nil }
	return nil
}

// Schema documents the string and null.
func (Text) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

// sendText writes a text as the result. An error comes before the first byte, or the
// connection ends with it: half a text must not look like a whole one.
func (s *Server) sendText(ctx context.Context, x *exchange, text *Text) error {
	if text.Open == nil {
		return sendQuoted(x, nil)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begun := time.AfterFunc(s.answerTime, func() { cancel(context.DeadlineExceeded) })
	defer begun.Stop()
	content, err := text.Open(ctx)
	if err != nil {
		return lateStart(ctx, err)
	}
	defer func() { _ = content.Close() }()
	from := bufio.NewReaderSize(content, textBlock)
	if _, err := from.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		return lateStart(ctx, err)
	}
	begun.Stop()
	return sendQuoted(x, from)
}

// sendQuoted writes the envelope around a text; nil is null.
func sendQuoted(x *exchange, from io.Reader) error {
	x.readBy(time.Time{}) // nothing comes any more, and its end would end a long answer
	setWriteTime(x, downloadTime)
	x.header().Set("Content-Type", "application/json")
	x.http.Writer.WriteHeader(http.StatusOK)
	to := bufio.NewWriterSize(x.http.Writer, textBlock)
	err := writeQuoted(to, from)
	if to.Flush() == nil && err != nil { // a caller that is gone is no fault of ours
		setWriteTime(x, -time.Second) // the end of the answer cannot be sent any more
		return fault.Away(err)
	}
	return nil
}

// writeQuoted gives the error of the reader; the writer keeps its own until it is
// flushed.
func writeQuoted(to *bufio.Writer, from io.Reader) error {
	if from == nil {
		_, _ = to.WriteString(`{"result":null}`)
		return nil
	}
	_, _ = to.WriteString(`{"result":"`)
	if _, err := io.Copy(escaping{to}, from); err != nil {
		return err
	}
	_, _ = to.WriteString(`"}`)
	return nil
}

// escaping writes text as the inside of a JSON string, wherever it is cut.
type escaping struct{ to *bufio.Writer }

// Write escapes what may not stand in a string as it is: quotes, backslashes and
// control characters. An error of the writer stays there and comes with the last part.
func (e escaping) Write(text []byte) (int, error) {
	rest := text
	for {
		at := bytes.IndexFunc(rest, escaped)
		if at < 0 {
			break
		}
		_, _ = e.to.Write(rest[:at])
		_, _ = e.to.WriteString(escapes[rest[at]])
		rest = rest[at+1:]
	}
	_, err := e.to.Write(rest)
	return len(text), err
}

func escaped(r rune) bool { return r < ' ' || r == '"' || r == '\\' }

// escapes are the characters that are escaped, as they are written.
var escapes = func() (all ['\\' + 1]string) {
	for c := range all {
		if quoted, err := json.Marshal(string(rune(c))); err == nil {
			all[c] = string(quoted[1 : len(quoted)-1])
		}
	}
	return all
}()
