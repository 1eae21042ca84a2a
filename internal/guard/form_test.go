package guard

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// strict is a guard without any of the operator's lists.
func strict(t testing.TB) *Guard {
	t.Helper()
	return open(t, Options{})
}

func open(t testing.TB, o Options) *Guard {
	t.Helper()
	g, err := New(o)
	require.NoError(t, err)
	t.Cleanup(g.Close)
	return g
}

// ruleOf returns the rule of a refusal, "" for none.
func ruleOf(t require.TestingT, err error) string {
	if err == nil {
		return ""
	}
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, ClassRefused, e.Class)
	return e.Rule
}

// formsOfEndpoints are addresses and the rule that refuses each.
var formsOfEndpoints = map[string]string{
	"https://example.com":                          "",
	"http://example.com/a?b=c#d":                   "",
	"HTTPS://EXAMPLE.COM:443/":                     "",
	"https://example.com:1024/x":                   "",
	"https://example.com.":                         "",
	"https://bücher.example/":                      "",
	"https://under_score.example.com/":             "",
	"https://8.8.8.8/":                             "",
	"https://[2606:4700::1111]:8443/":              "",
	"ftp://example.com/":                           ruleScheme,
	"//example.com/":                               ruleScheme,
	"example.com":                                  ruleScheme,
	"":                                             ruleScheme,
	"https:example.com":                            ruleForm,
	"https:///path":                                ruleForm,
	"https://":                                     ruleForm,
	"https://exa mple.com/":                        ruleForm,
	"https://example.com/\tx":                      ruleForm,
	"https://example.com/\x00":                     ruleForm,
	"https://example.com/\u0085":                   ruleForm,
	"https://example.com/\u2028":                   ruleForm,
	"https://example.com\\@evil.example/":          ruleForm,
	"https://ex%61mple.com/":                       ruleForm,
	"https://ex%C3%A9mple.com/":                    ruleForm,
	"https://[fe80::1%25eth0]/":                    ruleForm,
	"https://[v1.fe80::1]/":                        ruleForm,
	"https://[127.0.0.1]/":                         ruleForm,
	"https://::1/":                                 ruleForm,
	"https://example..com/":                        ruleForm,
	"https://example.com../":                       ruleForm,
	"https://exa／mple.com/":                        ruleForm,
	"https://" + strings.Repeat("a", 64) + ".com/": ruleForm,
	"https://example.com:/":                        ruleForm,
	"https://user@example.com/":                    ruleUserInfo,
	"https://user:pass@example.com/":               ruleUserInfo,
	"https://example.com@169.254.169.254/":         ruleUserInfo,
	"https://@example.com/":                        ruleUserInfo,
	"https://example.com:0/":                       rulePort,
	"https://example.com:22/":                      rulePort,
	"https://example.com:1023/":                    rulePort,
	"https://example.com:65536/":                   rulePort,
	"https://127.1/":                               ruleNumeric,
	"https://2130706433/":                          ruleNumeric,
	"https://0x7f000001/":                          ruleNumeric,
	"https://0177.0.0.1/":                          ruleNumeric,
	"https://0X7F.0.0.1/":                          ruleNumeric,
	"https://1.2.3.4.5/":                           ruleNumeric,
	"https://1.2.3.256/":                           ruleNumeric,
	"https://foo.0xcafe/":                          ruleNumeric,
	"https://１２７.1/":                               ruleNumeric,
	"https://１２７.０.０.１/":                           "loopback",
	"https://127.0.0.1./":                          "loopback",
	"https://169.254.169.254/":                     ruleMetadata,
	"https://[::ffff:169.254.169.254]/":            ruleMetadata,
	"https://[::ffff:10.0.0.1]/":                   "private",
	"https://[64:ff9b::a00:1]/":                    ruleForbidden,
}

func TestFormOfEndpoints(t *testing.T) {
	t.Parallel()
	g := strict(t)
	for raw, rule := range formsOfEndpoints {
		assert.Equal(t, rule, ruleOf(t, g.CheckURL(t.Context(), raw, Endpoint)), "%q", raw)
	}
}

func TestReceiversAreHTTPSOnly(t *testing.T) {
	t.Parallel()
	g := strict(t)
	for _, kind := range []Kind{Receiver, Step} {
		assert.Empty(t, ruleOf(t, g.CheckURL(t.Context(), "https://example.com/hook", kind)))
		assert.Equal(t, ruleScheme, ruleOf(t, g.CheckURL(t.Context(), "http://example.com/hook", kind)))
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	g := strict(t)
	for _, name := range []string{
		"localhost", "a.localhost", "metadata", "metadata.google.internal", "metadata.goog", "x.internal", "a.b.internal",
		"printer.local", "a.localdomain", "router.home.arpa", "app.default.svc", "app.default.svc.cluster.local", "intranet",
		"LOCALHOST", "localhost.", "Metadata.Google.Internal.", "x.INTERNAL", "ｌｏｃａｌｈｏｓｔ", "localhost。",
	} {
		for _, kind := range []Kind{Endpoint, Receiver, Step} {
			assert.Equal(t, ruleName, ruleOf(t, g.CheckURL(t.Context(), "https://"+name+"/", kind)), name)
		}
	}
	for _, name := range []string{"internal.example.com", "metadata.example.com", "localhost.example.com", "svc.example", "mylocal.example"} {
		assert.Empty(t, ruleOf(t, g.CheckURL(t.Context(), "https://"+name+"/", Receiver)), name)
	}
}

func TestMailHosts(t *testing.T) {
	t.Parallel()
	g := strict(t)
	for _, c := range []struct {
		host string
		port int
		rule string
	}{
		{"smtp.example.com", 25, rulePort},
		{"smtp.example.com", 465, ""},
		{"smtp.example.com", 587, ""},
		{"smtp.example.com", 2525, ""},
		{"smtp.example.com", 443, rulePort},
		{"smtp.example.com", 0, rulePort},
		{"smtp.example.com", 70000, rulePort},
		{"localhost", 25, ruleName},
		{"127.0.0.1", 25, "loopback"},
		{"[::1]", 25, ruleForbidden},
		{"[::1", 25, ruleForm},
		{"169.254.169.254", 587, ruleMetadata},
		{"a@b.example", 587, ruleForm},
		{"a b.example", 25, ruleForm},
		{"", 25, ruleForm},
		{"smtp.example.com/x", 25, ruleForm},
		{"0x7f.1", 25, ruleNumeric},
	} {
		assert.Equal(t, c.rule, ruleOf(t, g.CheckHost(t.Context(), c.host, c.port)), "%s:%d", c.host, c.port)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://Example.com/a":      "https://example.com:443",
		"https://example.com.:443/b": "https://example.com:443",
		"https://example.com:8443/":  "https://example.com:8443",
		"https://[2606:4700::1]/":    "https://[2606:4700::1]:443",
		"not an address":             "not an address",
	} {
		assert.Equal(t, want, Origin(raw, Receiver), raw)
	}
}

// What passes the form check is written in one way only: parsing it again
// gives the same target.
func TestParsingIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SampledFrom([]string{"https://", "http://", "HTTPS://"}).Draw(t, "scheme") +
			rapid.StringOfN(rapid.RuneFrom([]rune("aZ09.-_[]:%@１。é")), 1, 30, -1).Draw(t, "host") +
			rapid.SampledFrom([]string{"", "/", "/p?q#f", ":8443/"}).Draw(t, "rest")
		checkStable(t, raw)
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"https://example.com/", "https://[::1]:80/", "http://１２７.1/", "https://a@b/", "https://xn--bcher-kva.example"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) { checkStable(t, raw) })
}

func checkStable(t require.TestingT, raw string) {
	first, refusal := parse(raw, Endpoint)
	if refusal != nil {
		return
	}
	again, refusal := parse(first.url.String(), Endpoint)
	require.Nil(t, refusal, "%q became %q", raw, first.url)
	require.Equal(t, first.host, again.host)
	require.Equal(t, first.port, again.port)
	require.Equal(t, first.literal, again.literal)
	if !first.literal.IsValid() {
		_, err := netip.ParseAddr(first.host)
		require.Error(t, err, "an address went through as a name: %q", raw)
		require.Equal(t, strings.ToLower(first.host), first.host)
	}
}

func TestErrorsShowNoAddress(t *testing.T) {
	t.Parallel()
	err := &Error{Class: ClassUnreachable, cause: errors.New("dial tcp 10.1.2.3:443")}
	assert.NotContains(t, err.Error(), "10.1.2.3")
	require.ErrorContains(t, errors.Unwrap(err), "10.1.2.3")
	assert.Equal(t, ClassUnreachable, ClassOf(errors.New("anything")))
}
