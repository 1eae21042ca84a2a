package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"

	"github.com/redline-svc/redline/api"
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/config"
)

// newAPI puts the interface together.
func newAPI(ctx context.Context, p *parts) (*rpc.Server, error) {
	return api.New(ctx, &api.Parts{
		Conf: p.conf, Log: p.log, Metrics: p.metrics, Box: p.box, Guard: p.guard, Stores: p.calls, Entry: p.entry, Limiter: p.limiter,
		Files: p.knowledge.files, Index: p.knowledge.index, Models: p.knowledge.models, Texts: p.knowledge.confined,
		Serving: p.gate.check,
	})
}

// listen opens a listener, with TLS where a certificate is configured.
func listen(ctx context.Context, name, addr string, http config.HTTP) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if http.TLSCertFile == "" {
		return listener, nil
	}
	pair, err := tls.LoadX509KeyPair(http.TLSCertFile, http.TLSKeyFile)
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("REDLINE_TLS_CERT_FILE and REDLINE_TLS_KEY_FILE: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}

// serveUntilClosed serves a listener; that it was closed in order is no error.
func serveUntilClosed(server *http.Server, listener net.Listener) error {
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	}
	return nil
}
