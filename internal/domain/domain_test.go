package domain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/domain"
)

func TestASCII(t *testing.T) {
	for in, want := range map[string]string{
		"example.com":         "example.com",
		"EXAMPLE.Com":         "example.com",
		"例子.中国":               "xn--fsqu00a.xn--fiqs8s",
		"例子。中国":               "xn--fsqu00a.xn--fiqs8s",
		"BÜCHER.example":      "xn--bcher-kva.example",
		"xn--bcher-kva.ex.to": "xn--bcher-kva.ex.to",
		"r3---sn.example.com": "r3---sn.example.com",
		"faß.de":              "xn--fa-hia.de",
	} {
		got, err := domain.ASCII(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got, in)
	}
}

func TestASCIIRefuses(t *testing.T) {
	for _, in := range []string{
		"", ".", "com", "localhost", "example.com.", ".example.com", "a..b", "-a.com", "a-.com", "a_b.com",
		"1.2.3.4", "example.123", "example.0x7f", "example.１２", "exa mple.com", "xn--zzzzzz.com\x00", "a.com/b",
		strings.Repeat("a", 64) + ".com", strings.Repeat("abcdefgh.", 30) + "com", "xn--a.com", "a@b.com",
	} {
		_, err := domain.ASCII(in)
		assert.ErrorIs(t, err, domain.ErrInvalid, in)
	}
}

func TestParents(t *testing.T) {
	assert.Equal(t, []string{"a.b.com", "b.com", "com"}, slices.Collect(domain.Parents("a.b.com")))
	for first := range domain.Parents("a.b.com") {
		assert.Equal(t, "a.b.com", first)
		break
	}
}

func TestNormalise(t *testing.T) {
	for in, want := range map[string]string{
		"example.com":                         "example.com",
		"https://www.Example.com:443/app":     "example.com",
		"http://example.com?q=a@b#f":          "example.com",
		"example.com.":                        "example.com",
		"example.com:8080":                    "example.com",
		"example.com:":                        "example.com",
		"www.com":                             "www.com",
		"bücher.example":                      "xn--bcher-kva.example",
		"xn--bcher-kva.example":               "xn--bcher-kva.example",
		"*.example.com":                       "*.example.com",
		"https://*.Example.co.uk":             "*.example.co.uk",
		"*.github.io":                         "*.github.io",
		"localhost":                           "localhost",
		"LocalHost:3000":                      "localhost",
		"127.0.0.1:3000":                      "127.0.0.1",
		"http://[::1]:8080/x":                 "::1",
		"[2001:DB8::1]":                       "2001:db8::1",
		"2001:db8:0::1":                       "2001:db8::1",
		"chrome-extension://abcdef.example/x": "abcdef.example",
	} {
		got, err := domain.Normalise(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got, in)
		again, err := domain.Normalise(got)
		require.NoError(t, err, in)
		assert.Equal(t, got, again, "the normal form of %q is its own", in)
	}
}

func TestNormaliseDropsOneWWW(t *testing.T) {
	got, err := domain.Normalise("www.www.example.com")
	require.NoError(t, err)
	assert.Equal(t, "www.example.com", got)
}

func TestNormaliseRefusesSpace(t *testing.T) {
	for _, in := range []string{" example.com", "example.com ", "exam ple.com", "\texample.com", "\u00a0example.com"} {
		_, err := domain.Normalise(in)
		assert.ErrorIs(t, err, domain.ErrInvalid, "%q", in)
	}
}

func TestNormaliseRefuses(t *testing.T) {
	for in, want := range map[string]error{
		"":                      domain.ErrInvalid,
		"https://":              domain.ErrInvalid,
		"//example.com":         domain.ErrInvalid,
		"com":                   domain.ErrInvalid,
		"intranet":              domain.ErrInvalid,
		"example..com":          domain.ErrInvalid,
		"[example.com]":         domain.ErrInvalid,
		"[::1":                  domain.ErrInvalid,
		"[::1]x":                domain.ErrInvalid,
		"fe80::1%eth0":          domain.ErrInvalid,
		"1.2.3":                 domain.ErrInvalid,
		"*":                     domain.ErrWildcard,
		"*.":                    domain.ErrWildcard,
		"*.com":                 domain.ErrInvalid,
		"*.co.uk":               domain.ErrWildcard,
		"*.公司.cn":               domain.ErrWildcard,
		"a.*.example.com":       domain.ErrWildcard,
		"*.*.example.com":       domain.ErrWildcard,
		"a*.example.com":        domain.ErrWildcard,
		"*.127.0.0.1":           domain.ErrInvalid,
		"https://me:pw@example": domain.ErrUserInfo,
		"me@example.com":        domain.ErrUserInfo,
		"example.com:0":         domain.ErrPort,
		"example.com:65536":     domain.ErrPort,
		"example.com:http":      domain.ErrPort,
		"[::1]:x":               domain.ErrPort,
	} {
		_, err := domain.Normalise(in)
		assert.ErrorIs(t, err, want, in)
	}
}

func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{"https://www.Example.com:443/app", "*.example.com", "[::1]:80", "bücher.example"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		normal, err := domain.Normalise(entry)
		if err != nil {
			return
		}
		again, err := domain.Normalise(normal)
		if err != nil || (again != normal && "www."+again != normal) {
			t.Fatalf("%q gave %q and that gave %q, %v", entry, normal, again, err)
		}
	})
}
