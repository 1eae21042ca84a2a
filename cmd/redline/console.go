package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/console"
	"github.com/redline-svc/redline/internal/config"
)

// newPages makes the server of the console, which calls the interface in this process; nil where
// no address is configured. The contexts of its requests end with base.
func newPages(base context.Context, conf config.Config, face *rpc.Server, log *slog.Logger) (*http.Server, error) {
	if conf.Console.Addr == "" {
		return nil, nil //nolint:nilnil // there is no console
	}
	// The address that callers know may have a path, which whatever stands before the interface takes away.
	public, err := url.Parse(conf.HTTP.PublicURL)
	if err != nil {
		return nil, err
	}
	keys := make([][]byte, len(conf.Keys.Encryption))
	for i := range keys {
		keys[i] = conf.Keys.Encryption[i].Bytes[:]
	}
	pages, err := console.New(console.Options{
		Interface: conf.HTTP.PublicURL, Transport: console.Through(http.StripPrefix(strings.TrimSuffix(public.Path, "/"), face)), Keys: keys,
		TemporalUI: conf.Console.TemporalUI, Mails: conf.Console.MailsURL, Log: log,
	})
	if err != nil {
		return nil, err
	}
	server := pages.Listener()
	server.BaseContext = func(net.Listener) context.Context { return base }
	return server, nil
}
