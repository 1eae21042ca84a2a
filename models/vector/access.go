package vector

import (
	"context"
	"crypto/tls"
	"strings"

	"google.golang.org/grpc/credentials"
)

// Option sets how Weaviate is reached.
type Option func(*access)

// access is how it is reached: in the clear and by anybody, unless options say otherwise.
type access struct {
	scheme  string
	header  map[string]string
	trust   *tls.Config
	secrecy credentials.TransportCredentials
}

// WithKey sends an API key of Weaviate with every call; an empty one is none.
func WithKey(key string) Option {
	return func(a *access) {
		if key != "" {
			a.header["Authorization"] = "Bearer " + key
		}
	}
}

// WithTLS speaks TLS to both ports of Weaviate, by that configuration; nil trusts the
// system's authorities.
func WithTLS(trust *tls.Config) Option {
	return func(a *access) {
		if trust == nil {
			trust = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		a.scheme, a.trust, a.secrecy = "https", trust, credentials.NewTLS(trust)
	}
}

// GetRequestMetadata returns what goes with every call to the port of vectors.
func (a access) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	all := map[string]string{}
	for name, value := range a.header {
		all[strings.ToLower(name)] = value
	}
	return all, nil
}

// RequireTransportSecurity reports whether the key may only go over TLS. Whether it does is
// the operator's choice, as for the other port.
func (access) RequireTransportSecurity() bool { return false }
