package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/fault"
)

const textPath = "/v2/test/text"

// serveText makes a server with an operation that answers with a text.
func serveText(t *testing.T, open func(ctx context.Context) (io.ReadCloser, error)) *bench {
	t.Helper()
	return newFileBench(t, []Route{Post(textPath, func(context.Context, *struct{}) (*Text, error) { return &Text{Open: open}, nil },
		Summary("Read a text"), Example(`{}`, `"text"`))})
}

// reading opens a text that comes from a reader.
func reading(from io.Reader) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(from), nil }
}

func askText(t *testing.T, b *bench) reply {
	t.Helper()
	return b.do(t, http.MethodPost, textPath, `{"data":{}}`, "Content-Type", "application/json", "X-Svc-Api-Key", "ak_a", "X-Svc-Auth-Token", "good-ak_a")
}

// Whatever a text holds and wherever it is cut, it comes back as it is.
func TestATextIsWrittenAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var from io.Reader = strings.NewReader(text)
		if rapid.Bool().Draw(t, "byte by byte") {
			from = iotest.OneByteReader(from)
		}
		written := &bytes.Buffer{}
		to := bufio.NewWriter(written)
		require.NoError(t, writeQuoted(to, from))
		require.NoError(t, to.Flush())
		var read struct{ Result string }
		require.NoError(t, json.Unmarshal(written.Bytes(), &read), written.String())
		require.Equal(t, text, read.Result)
	})
}

func TestATextOrNullIsAResultLikeOthers(t *testing.T) {
	none := askText(t, serveText(t, nil))
	require.Equal(t, http.StatusOK, none.Code)
	require.Equal(t, `{"result":null}`, none.Body.String())
	text := askText(t, serveText(t, reading(strings.NewReader("a \"b\"\n\x00"))))
	require.Equal(t, `{"result":"a \"b\"\n\u0000"}`, text.Body.String())
	require.Equal(t, "application/json", text.Header().Get("Content-Type"))
	require.Equal(t, `{"result":""}`, askText(t, serveText(t, reading(strings.NewReader("")))).Body.String())
}

func TestATextThatCannotBeReadIsAnError(t *testing.T) {
	away := fault.Away(errors.New("bucket hunter2"))
	for _, open := range []func(context.Context) (io.ReadCloser, error){
		func(context.Context) (io.ReadCloser, error) { return nil, away }, reading(iotest.ErrReader(away)),
	} {
		got := askText(t, serveText(t, open))
		require.Equal(t, http.StatusServiceUnavailable, got.Code)
		require.Equal(t, fault.Unavailable, got.Error.Status)
	}
}

// A caller must not take half a text for a whole one.
func TestATextThatBreaksOffEndsItsConnection(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(strings.Repeat("x", 3*textBlock)), iotest.ErrReader(errors.New("broken")))
	b := serveText(t, reading(broken))
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+textPath, strings.NewReader(`{"data":{}}`))
	require.NoError(t, err)
	for name, value := range map[string]string{"Content-Type": "application/json", "X-Svc-Api-Key": "ak_a", "X-Svc-Auth-Token": "good-ak_a"} {
		request.Header.Set(name, value)
	}
	answer, err := server.Client().Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NotEmpty(t, text)
}
