package disposable_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/disposable"
	"github.com/redline-svc/redline/internal/domain"
)

func TestListedNamesAndEverythingBelow(t *testing.T) {
	list, err := disposable.New("", "")
	require.NoError(t, err)
	for _, name := range []string{"mailinator.com", "a.mailinator.com", "a.b.mailinator.com", "33mail.com", "me.33mail.com"} {
		assert.True(t, list.Has(name), name)
	}
	for _, name := range []string{"gmail.com", "example.com", "example.org", "not-at-all-mailinator.com", "mailinator.org.example.com", "com", ""} {
		assert.False(t, list.Has(name), name)
	}
}

func TestEveryBundledNameIsFound(t *testing.T) {
	list, err := disposable.New("", "")
	require.NoError(t, err)
	data, err := os.ReadFile("domains.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	assert.Equal(t, 121569, len(lines)) //nolint:testifylint // Len would print the list
	for i, line := range lines {
		if !list.Has(line) {
			t.Errorf("%s is listed and not found", line)
		}
		if i > 0 && lines[i-1] >= line {
			t.Errorf("%s is not in order", line)
		}
	}
}

func TestOtherSpellingsOfAListedName(t *testing.T) {
	list, err := disposable.New("", "")
	require.NoError(t, err)
	for _, spelling := range []string{"MAILINATOR.com", "Sub.Mailinator.Com", "ＭＡＩＬＩＮＡＴＯＲ.com", "mailinator。com", "tś.xyz"} {
		name, err := domain.ASCII(spelling)
		require.NoError(t, err)
		assert.True(t, list.Has(name), spelling)
	}
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestOperatorsFiles(t *testing.T) {
	dir := t.TempDir()
	extra := write(t, filepath.Join(dir, "extra"), "# ours\nThrowAway.example # one\n\nbücher.example\nlisted.org\n")
	allow := write(t, filepath.Join(dir, "allow"), "mailinator.com\ngood.listed.org\n")
	list, err := disposable.New(extra, allow)
	require.NoError(t, err)
	assert.True(t, list.Has("a.throwaway.example"))
	assert.True(t, list.Has("xn--bcher-kva.example"))
	assert.False(t, list.Has("mailinator.com"))
	assert.True(t, list.Has("listed.org"))
	assert.False(t, list.Has("a.good.listed.org"), "the nearest parent decides")

	write(t, extra, "other.example\n")
	assert.True(t, list.Has("throwaway.example"), "nothing changes before it is read again")
	require.NoError(t, list.Reload())
	assert.False(t, list.Has("throwaway.example"))
	assert.True(t, list.Has("other.example"))

	write(t, extra, "not a domain\n")
	require.ErrorContains(t, list.Reload(), "line 1")
	assert.True(t, list.Has("other.example"), "a faulty file leaves the list as it was")
}

func TestNewRefusesAFileThatIsNotThere(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := disposable.New(missing, "")
	require.Error(t, err)
	_, err = disposable.New("", missing)
	require.Error(t, err)
}

func TestHangupReadsAgain(t *testing.T) {
	extra := write(t, filepath.Join(t.TempDir(), "extra"), "")
	list, err := disposable.New(extra, "")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	list.ReloadOnHangup(ctx, slog.New(slog.DiscardHandler))

	write(t, extra, "late.example\n")
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGHUP))
	assert.Eventually(t, func() bool { return list.Has("late.example") }, time.Minute, time.Millisecond)

	write(t, extra, "not a domain")
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGHUP))
	write(t, extra, "last.example")
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGHUP))
	assert.Eventually(t, func() bool { return list.Has("last.example") }, time.Minute, time.Millisecond)
}

func BenchmarkHas(b *testing.B) {
	list, err := disposable.New("", "")
	require.NoError(b, err)
	for b.Loop() {
		if list.Has("mail.a-quite-usual-company.example.com") {
			b.Fatal("found")
		}
	}
}
