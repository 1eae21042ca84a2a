package confined_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
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

// program is the process that converts. It is a build of its own without the race detector,
// whose memory would count against the limits.
var program string

func TestMain(m *testing.M) { os.Exit(withProgram(m.Run)) }

func withProgram(run func() int) int {
	dir, err := os.MkdirTemp("", "redline-confined-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "convert")
	build := exec.Command("go", "build", "-trimpath", "-gcflags=all=-dwarf=false", "-o", program, "./testdata/convert")
	if said, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, said))
	}
	return run()
}

func converter(mimeType string) *confined.Converter {
	return confined.New(mimeType, program, "convert")
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

// Whatever characters a text has, it takes some copies of it to be read from the process, in either of the two.
func TestATextOfControlCharactersTakesNoMoreThanOthers(t *testing.T) {
	inFolder(t)
	file := append(bytes.Repeat([]byte{0x1b}, 8<<20), "and a word"...)
	debug.FreeOSMemory()
	stop := watchMemory()
	document, err := converter(extract.TypeText).Convert(t.Context(), file)
	grown, child := stop()
	require.NoError(t, err)
	require.Equal(t, string(file), document.Markdown)
	t.Logf("this process grew by %d MiB, the child had %d MiB", grown>>20, child>>20)
	require.Less(t, grown, int64(8*len(file)))
	require.Less(t, child, int64(childMemory))
}

func TestAProgramThatIsNotThereIsNoFaultOfTheFile(t *testing.T) {
	_, err := confined.New(extract.TypeCSV, filepath.Join(t.TempDir(), "none")).Convert(t.Context(), []byte("a,b"))
	require.Error(t, err)
	require.Nil(t, extract.AsFailure(err))
}
