package bare

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/redline-svc/redline/tests/kit/receiver"
)

// trusting is a client that accepts the development authority and finds
// receivers on loopback, as the service does.
func trusting(authority *receiver.Authority) *http.Client {
	dialer := &net.Dialer{}
	return &http.Client{Timeout: callLimit, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: authority.Pool(), MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return dialer.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		},
		MaxIdleConnsPerHost: 256,
	}}
}
