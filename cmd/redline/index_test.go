package main

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/ops"
	"github.com/redline-svc/redline/models/vector"
)

// What /readyz and the metric ask is the index as it is configured: with its key, and with
// TLS by a certificate that somebody trusted has signed.
func TestTheIndexIsAskedWithItsKeyAndOverTLS(t *testing.T) {
	keys := make(chan string, 1)
	note := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case keys <- r.Header.Get("Authorization"):
		default:
		}
	})
	look := func(server *httptest.Server, encrypted bool) error {
		addr := server.Listener.Addr().String()
		conf := config.Weaviate{Addr: addr, GRPCAddr: addr, TLS: encrypted, APIKey: "the key"}
		index, err := openIndex(conf)
		require.NoError(t, err)
		return probeOf(index).Look(t.Context())
	}
	plain := httptest.NewServer(note)
	defer plain.Close()
	require.Error(t, look(plain, false), "its other port does not answer")
	require.Equal(t, "Bearer the key", <-keys)
	plain.Close()
	for len(keys) > 0 { // it was asked more than once
		<-keys
	}

	hellos := make(chan *tls.ClientHelloInfo, 100)
	secured := httptest.NewUnstartedServer(note)
	secured.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		hellos <- hello
		return secured.TLS, nil
	}}
	secured.StartTLS()
	defer secured.Close()
	require.Error(t, look(secured, true), "nobody who is trusted has signed its certificate")
	require.NotEmpty(t, hellos)
	require.Empty(t, keys, "who is not trusted does not learn the key")
}

func probeOf(index *vector.Index) ops.Probe {
	return (&parts{knowledge: knowledge{index: index}}).weaviate()
}
