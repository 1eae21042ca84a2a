package mcp

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// minKey is how long the key of a server must be at least, in bytes.
	minKey = 16
	// maxBody is how large a request may be, in bytes: arguments of tools are small.
	maxBody = 1 << 20
)

// Door is who may come in over HTTP.
type Door struct {
	// Key is what clients send as bearer token.
	Key string
	// Hosts are names of the server beside localhost and the addresses of loopback; another one
	// in Host is refused, so that no page of a browser reaches the server by a name of its own.
	Hosts []string
	// Origins are those whose pages may call, such as https://agents.example.com.
	Origins []string
}

// Handler serves any number of clients over HTTP, each request by itself. Error: the key is none,
// or an origin is.
func Handler(s *sdk.Server, d Door) (http.Handler, error) {
	if len(d.Key) < minKey || strings.ContainsAny(d.Key, " \t\r\n") {
		return nil, errors.New("the key must have at least 16 characters and no spaces")
	}
	origins := http.NewCrossOriginProtection()
	for _, origin := range d.Origins {
		if err := origins.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	serve := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: true, // d.named does it, for every address
	})
	keyed := auth.RequireBearerToken(d.verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	return d.named(origins.Handler(keyed(serve))), nil
}

// verify compares the token of a request in constant time.
func (d *Door) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	if subtle.ConstantTimeCompare([]byte(token), []byte(d.Key)) != 1 {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{}, nil
}

// named refuses requests to another name than the server's.
func (d *Door) named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.knows(r.Host) {
			http.Error(w, "this server has another name; --host names it", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (d *Door) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1", "[::1]"}, host) || slices.Contains(d.Hosts, host)
}

// The limits of a connection: a tool may wait for a call with its retries.
const (
	headerTime = 10 * time.Second
	writeTime  = 5 * time.Minute
	closeTime  = 5 * time.Second
)

// ServeHTTP serves a handler at a listener until the context ends.
func ServeHTTP(ctx context.Context, at net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTime, ReadTimeout: writeTime, WriteTimeout: writeTime}
	ended := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		_ = server.Shutdown(last) // what is still under way is cut off
	})
	defer ended()
	if err := server.Serve(at); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
