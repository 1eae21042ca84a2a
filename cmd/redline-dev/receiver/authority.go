package receiver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// Host is the name under which the receiver is reached. It ends in a label
// reserved for tests, so it never exists outside.
const Host = "receiver.test"

const (
	authorityFile = "ca.pem"
	keyFile       = "ca-key.pem"
	authorityLife = 10 * 365 * 24 * time.Hour
	leafLife      = 365 * 24 * time.Hour
)

// Authority is a certificate authority of one checkout.
type Authority struct {
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// OpenAuthority reads the authority kept in the folder, or makes one.
func OpenAuthority(dir string) (*Authority, error) {
	a := &Authority{file: filepath.Join(dir, authorityFile)}
	err := a.read(filepath.Join(dir, keyFile))
	if err == nil && time.Now().Add(leafLife).Before(a.cert.NotAfter) {
		return a, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the development authority: %w (remove %s to have a new one made)", err, a.file)
	}
	return a, a.create(filepath.Join(dir, keyFile))
}

// File is the authority's certificate as PEM, for a client that shall trust it.
func (a *Authority) File() string { return a.file }

func (a *Authority) read(keyPath string) error {
	pair, err := tls.LoadX509KeyPair(a.file, keyPath)
	if err != nil {
		return err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return fmt.Errorf("%s holds no elliptic key", keyPath)
	}
	a.key = key
	a.cert, err = x509.ParseCertificate(pair.Certificate[0])
	return err
}

func (a *Authority) create(keyPath string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := certificate("Redline development authority", authorityLife)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	a.key = key
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePEM(keyPath, "PRIVATE KEY", secret, 0o600); err != nil {
		return err
	}
	return writePEM(a.file, "CERTIFICATE", der, 0o644)
}

// Leaf makes a certificate for the names, valid for a year.
func (a *Authority) Leaf(names ...string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := certificate(names[0], leafLife)
	template.DNSNames = names
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// certificate is what authority and leaf have in common.
func certificate(name string, life time.Duration) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(life),
	}
}

func writePEM(path, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
