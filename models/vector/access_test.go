package vector_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/redline-svc/redline/models/vector"
)

// guarded is an index that speaks TLS on both ports and answers to one key alone. It
// returns both addresses and what trusts its certificate.
func guarded(t *testing.T, key string) (address, vectors string, trust *tls.Config) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(server.Close)
	authorities := x509.NewCertPool()
	authorities.AddCert(server.Certificate())
	calls := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&server.TLS.Certificates[0])),
		grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			if sent, _ := metadata.FromIncomingContext(ctx); strings.Join(sent.Get("authorization"), "") != "Bearer "+key {
				return nil, status.Error(codes.Unauthenticated, "unknown key")
			}
			return handle(ctx, req)
		}))
	grpc_health_v1.RegisterHealthServer(calls, health.NewServer())
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = calls.Serve(listener) }()
	t.Cleanup(calls.Stop)
	return server.Listener.Addr().String(), listener.Addr().String(), &tls.Config{RootCAs: authorities, ServerName: "example.com", MinVersion: tls.VersionTLS12}
}

func TestAnIndexIsReachedByKeyAndTLS(t *testing.T) {
	t.Parallel()
	address, vectors, trust := guarded(t, "the key")
	for name, c := range map[string]struct {
		options []vector.Option
		answers bool
	}{
		"both":              {[]vector.Option{vector.WithKey("the key"), vector.WithTLS(trust)}, true},
		"another key":       {[]vector.Option{vector.WithKey("another"), vector.WithTLS(trust)}, false},
		"no key":            {[]vector.Option{vector.WithKey(""), vector.WithTLS(trust)}, false},
		"in the clear":      {[]vector.Option{vector.WithKey("the key")}, false},
		"an unknown issuer": {[]vector.Option{vector.WithKey("the key"), vector.WithTLS(nil)}, false},
	} {
		x, err := vector.New(address, vectors, c.options...)
		require.NoError(t, err, name)
		if err := x.Check(t.Context()); c.answers {
			require.NoError(t, err, name)
		} else {
			require.Error(t, err, name)
		}
	}
}
