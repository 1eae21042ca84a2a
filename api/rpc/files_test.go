package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
)

// fakeFile is a stored file; fail replaces reading.
type fakeFile struct {
	*bytes.Reader

	fail func() (int, error)
}

func (f *fakeFile) Read(into []byte) (int, error) {
	if f.fail != nil {
		return f.fail()
	}
	return f.Reader.Read(into)
}

func (f *fakeFile) Close() error { return nil }

// filesPath is where the files of these tests are taken and given out.
const filesPath = "/v2/test/files/"

// fileToken is the token that leads to the file; others lead nowhere.
const fileToken = "a"

// serveFile makes a server that takes a file of five bytes and gives the file out,
// and the path of its address. Without a file the store never answers.
func serveFile(t *testing.T, file *fakeFile, change ...func(*Options)) (*bench, string) {
	t.Helper()
	b := newFileBench(t, []Route{
		Upload(filesPath+"{token}", func(context.Context, string) (*Incoming, error) {
			return &Incoming{WorkspaceID: "ws_a", MimeType: "text/plain", Size: 5, Store: func(_ context.Context, content io.Reader) (any, error) {
				text, err := io.ReadAll(content)
				return map[string]string{"text": string(text)}, err
			}}, nil
		}),
		Download(filesPath+"{token}", func(_ context.Context, token string) (*Outgoing, error) {
			if token != fileToken {
				return nil, fault.NotFound("file")
			}
			return &Outgoing{WorkspaceID: "ws_a", Open: func(ctx context.Context) (*File, error) {
				if file == nil {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return &File{Content: file, Name: "a.txt", MimeType: "text/plain"}, nil
			}}, nil
		}),
	}, change...)
	return b, filesPath + fileToken
}

func holding(t string) *fakeFile { return &fakeFile{Reader: bytes.NewReader([]byte(t))} }

// fetch asks for a file as it is served.
func fetch(b *bench, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr = "192.0.2.7:1234"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func TestARefusedRangeIsAnErrorLikeOthers(t *testing.T) {
	b, path := serveFile(t, holding("0123456789"))
	got := b.do(t, http.MethodGet, path, "", "Range", "bytes=10-")
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, got.Code)
	require.Equal(t, "application/json", got.Header().Get("Content-Type"))
	require.Equal(t, fault.StatusInvalidArgument, got.Error.Status)
	require.Equal(t, reason("range"), got.Error.Details.Reason)
	require.Equal(t, "bytes */10", got.Header().Get("Content-Range"))
	require.Empty(t, got.Header().Get("Content-Disposition"))
	got = b.do(t, http.MethodGet, path, "", "Range", "bytes=a-")
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, got.Code)
	require.Empty(t, got.Header().Get("Content-Range"), "it says nothing of the size")
	got = b.do(t, http.MethodGet, path, "", "If-Match", `"a"`)
	require.Equal(t, http.StatusPreconditionFailed, got.Code)
	require.Equal(t, fault.StatusFailedPrecondition, got.Error.Status)
	require.Contains(t, b.log.String(), `"status":"FAILED_PRECONDITION"`)
}

func TestAFileIsServedWholeInPartOrNotAtAll(t *testing.T) {
	b, path := serveFile(t, holding("0123456789"))
	whole := fetch(b, path)
	require.Equal(t, http.StatusOK, whole.Code)
	require.Equal(t, "0123456789", whole.Body.String())
	require.Equal(t, "bytes", whole.Header().Get("Accept-Ranges"))
	part := fetch(b, path, "Range", "bytes=-3")
	require.Equal(t, http.StatusPartialContent, part.Code)
	require.Equal(t, "789", part.Body.String())
	require.Equal(t, "bytes 7-9/10", part.Header().Get("Content-Range"))
	several := fetch(b, path, "Range", "bytes=0-1,4-5")
	require.Equal(t, http.StatusOK, several.Code)
	require.Equal(t, "0123456789", several.Body.String(), "of several ranges none")
	require.Equal(t, http.StatusOK, fetch(b, path, "If-None-Match", `"a"`).Code)
	had := fetch(b, path, "If-None-Match", "*")
	require.Equal(t, http.StatusNotModified, had.Code)
	require.Empty(t, had.Body.String())
	empty, path := serveFile(t, holding(""))
	none := fetch(empty, path)
	require.Equal(t, http.StatusOK, none.Code)
	require.Empty(t, none.Body.String())
	for _, method := range []string{http.MethodHead, http.MethodOptions, http.MethodDelete, http.MethodPost} {
		require.Equal(t, http.StatusNotFound, empty.do(t, method, path, "").Code, method)
	}
}

func TestAPanicInAFileRouteIsAnswered(t *testing.T) {
	b, path := serveFile(t, &fakeFile{Reader: bytes.NewReader([]byte("0123456789")), fail: func() (int, error) { panic("secret detail") }})
	got := b.do(t, http.MethodGet, path, "", "X-Request-Id", "req-77")
	require.Equal(t, http.StatusInternalServerError, got.Code)
	require.Equal(t, fault.StatusInternal, got.Error.Status)
	require.NotContains(t, got.Body.String(), "secret detail")
	require.Equal(t, 1, strings.Count(b.log.String(), "secret detail"))
	require.Contains(t, b.log.String(), `"request_id":"req-77"`)
}

func TestAStoreThatFailsBeforeTheFirstByteIsAway(t *testing.T) {
	b, path := serveFile(t, &fakeFile{Reader: bytes.NewReader([]byte("0123456789")), fail: func() (int, error) { return 0, errors.New("bucket hunter2") }})
	got := b.do(t, http.MethodGet, path, "", "Range", "bytes=1-")
	require.Equal(t, http.StatusServiceUnavailable, got.Code)
	require.Equal(t, fault.StatusUnavailable, got.Error.Status)
	require.NotContains(t, got.Body.String(), "hunter2")
	require.Empty(t, got.Header().Get("Content-Range"))
	require.Contains(t, b.log.String(), "hunter2")
}

func TestGuessedAddressesCountLikeWrongCredentials(t *testing.T) {
	b, path := serveFile(t, holding("0123456789"))
	require.Equal(t, http.StatusNotFound, b.do(t, http.MethodGet, path+"x", "").Code)
	require.Equal(t, []string{"ip/192.0.2.7/"}, b.limiter.asked)
	require.Equal(t, http.StatusOK, fetch(b, path).Code)
	require.Equal(t, []string{"ip/192.0.2.7/", "key/ws_a/ws_a"}, b.limiter.asked, "a right one counts like a call of its workspace")
	b.limiter.refuse["192.0.2.7"] = true
	limited := b.do(t, http.MethodGet, path+"x", "")
	require.Equal(t, http.StatusTooManyRequests, limited.Code)
	require.Equal(t, "2", limited.Header().Get("Retry-After"))
	require.Equal(t, http.StatusOK, fetch(b, path).Code, "and is never held up by wrong ones")
	b.limiter.refuse["ws_a"] = true
	require.Equal(t, http.StatusTooManyRequests, fetch(b, path).Code)
	require.Equal(t, http.StatusTooManyRequests, b.do(t, http.MethodPut, path, "01234").Code)
}

// Files that are given out slowly take as much as they do from the room of their workspace.
func TestFilesThatAreGivenOutHaveRoomBesideOtherRequests(t *testing.T) {
	b, path := serveFile(t, holding("0123456789"))
	require.NoError(t, b.workspaces.room.Acquire(t.Context(), "ws_a", roomOfOne-passedOn+1))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	b.workspaces.room.Release("ws_a", roomOfOne-passedOn+1)
	require.Equal(t, http.StatusOK, fetch(b, path).Code)
	require.EqualValues(t, roomOfAll, b.workspaces.room.Free())
}

func TestPagesAndSignedAddresses(t *testing.T) {
	b, path := serveFile(t, holding("0123456789"), func(o *Options) { o.Origins = fakeOrigins{"ws_a//app.example.com": true} })
	asked := b.do(t, http.MethodOptions, path, "", "Origin", "https://anything.example")
	require.Equal(t, http.StatusNoContent, asked.Code)
	require.Equal(t, "GET, PUT", asked.Header().Get("Access-Control-Allow-Methods"))
	require.Equal(t, http.StatusNotFound, b.do(t, http.MethodOptions, path+"/more", "", "Origin", "https://app.example.com").Code)
	require.Equal(t, http.StatusOK, fetch(b, path).Code)
	own := fetch(b, path, "Origin", "https://app.example.com")
	require.Equal(t, http.StatusOK, own.Code)
	require.Equal(t, "https://app.example.com", own.Header().Get("Access-Control-Allow-Origin"))
	other := b.do(t, http.MethodGet, path, "", "Origin", "https://evil.example")
	require.Equal(t, http.StatusForbidden, other.Code)
	require.Equal(t, reason("origin-not-allowed"), other.Error.Details.Reason)
	require.Empty(t, other.Header().Get("Access-Control-Allow-Origin"))
	require.Equal(t, http.StatusForbidden, b.do(t, http.MethodPut, filesPath+"a", "0123456789", "Origin", "https://evil.example").Code)
}

// deadlines notes the last one that was set for reading from a connection.
type deadlines struct {
	net.Listener

	last atomic.Pointer[time.Time]
}

func (d *deadlines) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	return &watched{conn, d}, err
}

type watched struct {
	net.Conn

	by *deadlines
}

func (w *watched) SetReadDeadline(at time.Time) error {
	w.by.last.Store(&at)
	return w.Conn.SetReadDeadline(at)
}

// A deadline for reading that passes ends the context of a request without a
// body, and with it a long download.
func TestALongDownloadIsNotCutOff(t *testing.T) {
	file := holding("0123456789")
	b, path := serveFile(t, file)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	watched := &deadlines{Listener: socket}
	meanwhile := make(chan time.Time, 1)
	file.fail = func() (int, error) {
		meanwhile <- *watched.last.Load()
		return 0, io.EOF
	}
	server := b.Listener(t.Context())
	go func() { _ = server.Serve(watched) }()
	t.Cleanup(func() { _ = server.Close() })
	answer, err := http.Get("http://" + socket.Addr().String() + path)
	require.NoError(t, err)
	_, err = io.ReadAll(answer.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a file that ends too early is not taken for whole")
	require.NoError(t, answer.Body.Close())
	require.Zero(t, <-meanwhile)
}

func TestAFileBegunTooLateIsDeadlineExceeded(t *testing.T) {
	b, path := serveFile(t, nil)
	b.answerTime = time.Millisecond
	got := b.do(t, http.MethodGet, path, "")
	require.Equal(t, http.StatusGatewayTimeout, got.Code)
	require.Equal(t, fault.StatusDeadlineExceeded, got.Error.Status)
}

// slow is a body that does not come in time.
type slow struct{}

func (slow) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func TestAnUploadThatDoesNotComeInTime(t *testing.T) {
	b, _ := serveFile(t, holding(""))
	r := httptest.NewRequest(http.MethodPut, filesPath+"a", slow{})
	r.Header.Set("Content-Type", "text/plain")
	r.ContentLength = 5
	got := httptest.NewRecorder()
	b.ServeHTTP(got, r)
	require.Equal(t, http.StatusGatewayTimeout, got.Code)
	require.Equal(t, "close", got.Header().Get("Connection"))
	var said errorBody
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &said))
	require.Equal(t, reason("slow-body"), said.Error.Details.Reason)
}

func TestAnUploadTakesExactlyTheAnnouncedBytes(t *testing.T) {
	b, path := serveFile(t, holding(""))
	put := func(body string, length int64, headers ...string) reply {
		r := httptest.NewRequest(http.MethodPut, path, strings.NewReader(body))
		r.ContentLength = length
		r.Header.Set("Content-Type", "text/plain")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		got := reply{ResponseRecorder: httptest.NewRecorder()}
		b.ServeHTTP(got, r)
		require.NoError(t, json.Unmarshal(got.Body.Bytes(), &got), got.Body.String())
		return got
	}
	for _, length := range []int64{5, -1} {
		got := put("12345", length)
		require.Equal(t, http.StatusOK, got.Code, got.Body)
		require.JSONEq(t, `{"text":"12345"}`, string(got.Result))
		require.Empty(t, got.Header().Get("Connection"))
	}
	for body, code := range map[string]int{"1234": http.StatusBadRequest, "123456": http.StatusRequestEntityTooLarge} {
		for _, length := range []int64{int64(len(body)), -1} {
			got := put(body, length)
			require.Equal(t, code, got.Code, body)
			require.Equal(t, "close", got.Header().Get("Connection"), body)
		}
	}
	got := put("12345", 5, "Content-Type", "text/csv")
	require.Equal(t, reason("content-type"), got.Error.Details.Reason)
}
