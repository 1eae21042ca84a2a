package email_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/email"
)

func TestParse(t *testing.T) {
	for raw, want := range map[string]struct{ key, capitalised string }{
		"owner@example.com":       {"owner@example.com", "Owner"},
		"john.doe+qa@example.com": {"john.doe+qa@example.com", "John.doe+qa"},
		"MARIA@EXAMPLE.COM":       {"maria@example.com", "MARIA"},
		"élodie@exemple.fr":       {"élodie@exemple.fr", "Élodie"},
		"e\u0301lodie@exemple.fr": {"élodie@exemple.fr", "Élodie"},
		"李雷@例子.中国":                {"李雷@xn--fsqu00a.xn--fiqs8s", "李雷"},
		"7up@example.com":         {"7up@example.com", "7up"},
		"Straße@example.com":      {"strasse@example.com", "Straße"},
		"ǆ@example.com":           {"ǆ@example.com", "ǅ"},
		"!#$%&'*+-/=?^_`{|}~@a.b": {"!#$%&'*+-/=?^_`{|}~@a.b", "!#$%&'*+-/=?^_`{|}~"},
	} {
		address, err := email.Parse(raw)
		require.NoError(t, err, raw)
		assert.Equal(t, raw, address.Raw)
		assert.Equal(t, want.key, address.Key(), raw)
		assert.Equal(t, want.capitalised, address.Capitalised(), raw)
	}
}

func TestMailsAreCountedByTheirMailbox(t *testing.T) {
	for raw, want := range map[string]string{
		"Ann@Example.com": "ann@example.com", "ann+1@example.com": "ann@example.com", "ann+1+2@example.com": "ann@example.com", "+1@example.com": "+1@example.com",
	} {
		address, err := email.Parse(raw)
		require.NoError(t, err, raw)
		assert.Equal(t, want, address.Mailbox())
	}
}

func TestLengthsAreInBytes(t *testing.T) {
	_, err := email.Parse(strings.Repeat("é", 32) + "@example.com")
	require.NoError(t, err)
	_, err = email.Parse(strings.Repeat("é", 32) + "a@example.com")
	require.ErrorIs(t, err, email.ErrLocal)

	host := strings.Repeat(strings.Repeat("a", 61)+".", 3) + "com"
	local := strings.Repeat("l", email.MaxBytes-len(host)-1)
	_, err = email.Parse(local + "@" + host)
	require.NoError(t, err)
	_, err = email.Parse(local + "l@" + host)
	require.ErrorIs(t, err, email.ErrLength)
}

func TestParseRefuses(t *testing.T) {
	for raw, want := range map[string]error{
		"":                      email.ErrFormat,
		"example.com":           email.ErrFormat,
		"a@b@example.com":       email.ErrFormat,
		" a@example.com":        email.ErrFormat,
		"a@example.com\n":       email.ErrFormat,
		"a@example.com\u00a0":   email.ErrFormat,
		"@example.com":          email.ErrLocal,
		".a@example.com":        email.ErrLocal,
		"a.@example.com":        email.ErrLocal,
		"a..b@example.com":      email.ErrLocal,
		`"a b"@example.com`:     email.ErrLocal,
		"a b@example.com":       email.ErrLocal,
		"a(b)@example.com":      email.ErrLocal,
		"a\x00@example.com":     email.ErrLocal,
		"a\xff@example.com":     email.ErrLocal,
		"a\u200b@example.com":   email.ErrLocal,
		"a\u202e@example.com":   email.ErrLocal,
		"a@":                    email.ErrDomain,
		"a@localhost":           email.ErrDomain,
		"a@example.com.":        email.ErrDomain,
		"a@127.0.0.1":           email.ErrDomain,
		"a@[127.0.0.1]":         email.ErrDomain,
		"a@example.123":         email.ErrDomain,
		"a@exam_ple.com":        email.ErrDomain,
		"a@-example.com":        email.ErrDomain,
		"Owner <a@example.com>": email.ErrLocal,
	} {
		_, err := email.Parse(raw)
		assert.ErrorIs(t, err, want, "%q", raw)
	}
}

func TestFold(t *testing.T) {
	assert.Equal(t, email.Fold("ÉLO workspace"), email.Fold("e\u0301lo Workspace"))
	assert.NotEqual(t, email.Fold("a"), email.Fold("b"))
}
