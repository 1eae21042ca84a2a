package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/config"
)

// certificate writes a certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	folder := t.TempDir()
	certFile, keyFile = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	return certFile, keyFile
}

func TestTheInterfaceOverTLS(t *testing.T) {
	certFile, keyFile := certificate(t)
	listener, err := listen(t.Context(), "x", "127.0.0.1:0", config.HTTP{TLSCertFile: certFile, TLSKeyFile: keyFile})
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.(*tls.Conn).Handshake()
		}
	}()
	for version, accepted := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		conn, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{
			MinVersion: tls.VersionTLS10, MaxVersion: version, InsecureSkipVerify: true,
		})
		require.Equal(t, accepted, err == nil, "%x: %v", version, err)
		if err == nil {
			require.NoError(t, conn.Close())
		}
	}
	_, err = listen(t.Context(), "x", "127.0.0.1:0", config.HTTP{TLSCertFile: keyFile, TLSKeyFile: certFile})
	require.ErrorContains(t, err, "REDLINE_TLS_CERT_FILE")
}

func TestTemporalOverTLS(t *testing.T) {
	certFile, keyFile := certificate(t)
	plain, err := temporalTLS(config.Temporal{})
	require.NoError(t, err)
	require.Nil(t, plain)
	secure, err := temporalTLS(config.Temporal{TLSCertFile: certFile, TLSKeyFile: keyFile, TLSCAFile: certFile, TLSServerName: "engine"})
	require.NoError(t, err)
	require.Equal(t, "engine", secure.ServerName)
	require.Len(t, secure.Certificates, 1)
	require.NotNil(t, secure.RootCAs)
	for _, bad := range []config.Temporal{
		{TLSCAFile: keyFile}, {TLSCAFile: "/nowhere"}, {TLSCertFile: "/nowhere", TLSKeyFile: keyFile},
	} {
		_, err = temporalTLS(bad)
		require.ErrorContains(t, err, "REDLINE_TEMPORAL_TLS_")
	}
}
