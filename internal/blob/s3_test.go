package blob

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

// fakeS3 is a server that speaks like S3 and notes what it is sent.
type fakeS3 struct {
	options   Options
	transport http.RoundTripper

	mu   sync.Mutex
	seen []*http.Request
}

const testBucket = "files"

func (f *fakeS3) open(t *testing.T) *Store {
	t.Helper()
	kept, err := openS3(f.options, f.transport)
	require.NoError(t, err)
	return &Store{driver: kept}
}

// handler serves the bucket and notes every request before it.
func (f *fakeS3) handler(t *testing.T, options ...gofakes3.Option) http.Handler {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket(testBucket))
	serve := gofakes3.New(backend, append(options, gofakes3.WithLogger(gofakes3.DiscardLog()))...).Server()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.seen = append(f.seen, r.Clone(t.Context()))
		f.mu.Unlock()
		serve.ServeHTTP(w, r)
	})
}

// requests are those that the server was sent so far.
func (f *fakeS3) requests() []*http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*http.Request(nil), f.seen...)
}

func newFakeS3(t *testing.T) *fakeS3 {
	t.Helper()
	f := &fakeS3{}
	server := httptest.NewServer(f.handler(t))
	t.Cleanup(server.Close)
	f.options = Options{S3Bucket: testBucket, S3Region: "eu-1", S3Endpoint: server.URL, S3AccessKey: "key", S3SecretKey: "secret"}
	return f
}

// newFakeGoogle is reached under the name of Google's store and refuses what that
// refuses.
func newFakeGoogle(t *testing.T) *fakeS3 {
	t.Helper()
	const host = "storage.googleapis.com"
	f := &fakeS3{}
	serve := f.handler(t, gofakes3.WithHostBucketBase(host))
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused := refusedByGoogle(r); refused != "" {
			http.Error(w, "<Error><Code>SignatureDoesNotMatch</Code><Message>"+refused+"</Message></Error>", http.StatusForbidden)
			return
		}
		serve.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	var dialer net.Dialer
	f.transport = &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "example.com"},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != host+":443" && address != testBucket+"."+host+":443" {
				return nil, errors.New("not Google's store: " + address)
			}
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	f.options = Options{S3Bucket: testBucket, S3Region: "auto", S3Endpoint: "https://" + host, S3AccessKey: "key", S3SecretKey: "secret"}
	return f
}

// refusedByGoogle names what Google's store refuses of a request; empty for nothing.
func refusedByGoogle(r *http.Request) string {
	for name := range r.Header {
		if name := strings.ToLower(name); strings.HasPrefix(name, "x-amz-checksum-") || name == "x-amz-sdk-checksum-algorithm" || name == "x-amz-trailer" {
			return name
		}
	}
	_, signed, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
	signed, _, _ = strings.Cut(signed, ",")
	switch {
	case !strings.Contains(";"+signed+";", ";host;"):
		return "a signature of version 4 is wanted"
	case strings.Contains(signed, "accept-encoding"):
		return "accept-encoding is signed"
	case strings.Contains(r.Header.Get("Content-Encoding"), "aws-chunked"), strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-"):
		return "the body is sent in signed chunks"
	default:
		return ""
	}
}

// useAll does with a store whatever the service does.
func useAll(t *testing.T, store *Store) {
	t.Helper()
	ctx := t.Context()
	write(t, store, "a/b", "hello there")
	require.NoError(t, store.Write(ctx, "large", "application/pdf", bytes.NewReader(counting(overOnePart))))
	r, err := store.Read(ctx, "a/b")
	require.NoError(t, err)
	_, err = r.Seek(6, io.SeekStart)
	require.NoError(t, err)
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "there", string(rest))
	require.NoError(t, r.Close())
	requireMissing(t, store, "other")
	require.NoError(t, store.Delete(ctx, "a/b"))
}

// methods are those of all requests, and the first PUT of a key.
func methods(requests []*http.Request, key string) (used map[string]bool, put *http.Request) {
	used = map[string]bool{}
	for _, r := range requests {
		used[r.Method] = true
		if put == nil && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/"+key) {
			put = r
		}
	}
	return used, put
}

func TestS3_Headers(t *testing.T) {
	server := newFakeS3(t)
	useAll(t, server.open(t))
	used, put := methods(server.requests(), "a/b")
	require.Subset(t, used, map[string]bool{http.MethodPut: true, http.MethodPost: true, http.MethodHead: true, http.MethodGet: true, http.MethodDelete: true})
	require.Equal(t, "/files/a/b", put.URL.Path)
	require.Equal(t, "text/plain", put.Header.Get("Content-Type"))
	require.NotEmpty(t, put.Header.Get("Content-Md5"))
	for _, r := range server.requests() {
		require.Empty(t, refusedByGoogle(r), "%s %s %v", r.Method, r.URL, r.Header)
		require.True(t, strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=key/"), r.Header)
	}
}

func TestS3_GoogleIsSentNothingItRefuses(t *testing.T) {
	server := newFakeGoogle(t)
	useAll(t, server.open(t))
	used, put := methods(server.requests(), "a/b")
	require.Subset(t, used, map[string]bool{http.MethodPut: true, http.MethodHead: true, http.MethodGet: true, http.MethodDelete: true})
	require.Equal(t, "text/plain", put.Header.Get("Content-Type"))
	require.EqualValues(t, len("hello there"), put.ContentLength)
	require.Equal(t, "UNSIGNED-PAYLOAD", put.Header.Get("X-Amz-Content-Sha256"))
	require.NotEmpty(t, put.Header.Get("Content-Md5"))
	for _, r := range server.requests() {
		require.Empty(t, refusedByGoogle(r), "%s %s %v", r.Method, r.URL, r.Header)
		require.True(t, strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=key/"), r.Header)
	}
}

func TestS3_AStoreThatIsAwayIsNoMissingFile(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	store, err := Open(Options{S3Bucket: testBucket, S3Region: "eu-1", S3Endpoint: server.URL, S3AccessKey: "key", S3SecretKey: "secret"})
	require.NoError(t, err)
	_, err = store.ReadAll(t.Context(), "a")
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrMissing)
	require.Error(t, store.Delete(t.Context(), "a"))
	require.Error(t, store.Write(t.Context(), "a", "text/plain", strings.NewReader("x")))
}
