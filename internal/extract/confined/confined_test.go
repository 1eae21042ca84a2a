package confined_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/confined"
)

// crashingType and hangingType are types whose files crash or hang the process.
const (
	crashingType = "test/crashing"
	hangingType  = "test/hanging"
	nosyType     = "test/nosy"
)

// The test's own binary is the program: with arguments of the converter it is the
// process that converts.
func TestMain(m *testing.M) {
	if len(os.Args) != 4 || os.Args[1] != "convert" {
		os.Exit(m.Run())
	}
	if err := play(os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play is the process.
func play(mimeType, dir string) error {
	switch mimeType {
	case crashingType:
		panic("a trap")
	case hangingType:
		select {}
	case nosyType:
		fmt.Printf(`{"done":true,"document":{"markdown":%q}}`, strings.Join(os.Environ(), " "))
		return nil
	default:
		return confined.Serve(mimeType, dir, os.Stdin, os.Stdout)
	}
}

func converter(mimeType string) *confined.Converter {
	return confined.New(mimeType, os.Args[0], "convert")
}

func reason(t *testing.T, err error) string {
	t.Helper()
	require.NotNil(t, extract.AsFailure(err), "%v", err)
	return extract.AsFailure(err).Reason
}

// inFolder makes the system's folder of temporary files one of the test's own.
func inFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return dir
}

func TestFilesAreConvertedInAProcess(t *testing.T) {
	dir := inFolder(t)
	document, err := converter(extract.TypeCSV).Convert(t.Context(), []byte("a,b\n\"<1>\",\"x \"\"y\"\"\"\n"))
	require.NoError(t, err)
	require.Equal(t, extract.Document{Markdown: "| a | b |\n| --- | --- |\n| <1> | x \"y\" |\n", Metadata: extract.Metadata{Encoding: "utf-8"}}, document)
	_, err = converter(extract.TypeXLSX).Convert(t.Context(), []byte("PK\x03\x04 and so on"))
	require.Equal(t, extract.Corrupt, reason(t, err))
	require.Empty(t, within(t, dir), "nothing is left behind")
}

func within(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	return found
}

func TestACrashIsTriedAgainAndThenTheFilesFault(t *testing.T) {
	dir := inFolder(t)
	_, err := converter(crashingType).Convert(t.Context(), []byte("x"))
	require.Equal(t, extract.Corrupt, reason(t, err))
	require.Empty(t, within(t, dir))
}

func TestWhatNobodyWaitsForIsKilled(t *testing.T) {
	dir := inFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) > 0 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := converter(hangingType).Convert(ctx, bytes.Repeat([]byte("x"), 1<<20))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, within(t, dir))
}

func TestFoldersOfKilledWorkersAreRemoved(t *testing.T) {
	dir := inFolder(t)
	young, old := filepath.Join(dir, "redline-convert-1"), filepath.Join(dir, "redline-convert-2")
	for _, folder := range []string{young, old} {
		require.NoError(t, os.Mkdir(folder, 0o700))
	}
	then := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(old, then, then))
	_, err := converter(extract.TypeCSV).Convert(t.Context(), []byte("a,b\n"))
	require.NoError(t, err)
	require.Equal(t, []string{young}, within(t, dir))
}

// The variables of the program hold secrets.
func TestTheProcessHasNoVariablesOfTheProgram(t *testing.T) {
	t.Setenv("REDLINE_MASTER_KEY", "secret")
	document, err := converter(nosyType).Convert(t.Context(), nil)
	require.NoError(t, err)
	require.Contains(t, document.Markdown, "TMPDIR=")
	require.NotContains(t, document.Markdown, "secret")
}

func TestAProgramThatIsNotThereIsNoFaultOfTheFile(t *testing.T) {
	_, err := confined.New(extract.TypeCSV, filepath.Join(t.TempDir(), "none")).Convert(t.Context(), []byte("a,b"))
	require.Error(t, err)
	require.Nil(t, extract.AsFailure(err))
}
