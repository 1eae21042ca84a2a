package parts

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline-dev/console"
)

// fakeGo stands for the go command: it notes its calls, "downloads" two modules
// and "compiles" two packages. With the file "broken" beside it, it fails.
const fakeGo = `#!/bin/sh
here=$(dirname "$0")
case $1 in
env) printf 'cc\n%s\n%s\n' "$here" "$here"; exit ;;
esac
echo "$*" >> "$here/calls"
case "$*" in
*" -n "*)
  echo "go: downloading example.com/one v1.0.0" >&2
  echo "go: downloading example.com/two v1.0.0" >&2
  echo "/tool/compile -o a -p one" >&2
  echo "/tool/compile -o b -p two" >&2
  exit ;;
esac
if [ -e "$here/broken" ]; then echo "two.go:1: it does not compile" >&2; exit 1; fi
echo one >&2
echo two >&2
echo program > "$GOBIN/thing"
`

var thing = Part{Title: "Thing", Name: "thing", Package: "example.com/thing", Version: "v1.2.3", Program: "thing"}

// workshop is a builder with a fake go command and C compiler.
func workshop(t *testing.T) (Builder, string, *bytes.Buffer) {
	t.Helper()
	bin, out := t.TempDir(), &bytes.Buffer{}
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(fakeGo), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "cc"), []byte("#!/bin/sh\n"), 0o755))
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	return Builder{CacheDir: t.TempDir(), Console: console.Quiet(out)}, bin, out
}

func calls(t *testing.T, bin string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(bin, "calls"))
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestAPartIsBuiltOnceWithoutDebugInformation(t *testing.T) {
	builder, bin, out := workshop(t)
	require.NoError(t, os.MkdirAll(filepath.Join(builder.CacheDir, "thing-build-killed"), 0o755))
	require.NoError(t, builder.Ensure(context.Background(), thing))
	require.NoError(t, builder.Ensure(context.Background(), thing))

	require.FileExists(t, filepath.Join(builder.CacheDir, "thing-v1.2.3", "thing"))
	require.Equal(t, []string{
		"install -n -trimpath -ldflags -s -w -gcflags=all=-dwarf=false example.com/thing@v1.2.3",
		"install -v -trimpath -ldflags -s -w -gcflags=all=-dwarf=false example.com/thing@v1.2.3",
	}, calls(t, bin))
	require.Contains(t, out.String(), "Building Thing v1.2.3: done")
	left, err := filepath.Glob(filepath.Join(builder.CacheDir, "*-build-*"))
	require.NoError(t, err)
	require.Empty(t, left, "what killed builds left is swept away")
}

func TestTwoStartsBuildOnce(t *testing.T) {
	builder, bin, _ := workshop(t)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := builder.Ensure(context.Background(), thing); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	require.Len(t, calls(t, bin), 2)
}

func TestAFailedBuildSaysWhyAndLeavesNothing(t *testing.T) {
	builder, bin, _ := workshop(t)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "broken"), nil, 0o600))
	err := builder.Ensure(context.Background(), thing)
	require.ErrorContains(t, err, "two.go:1: it does not compile")
	require.False(t, thing.Built(builder.CacheDir))

	require.NoError(t, os.Remove(filepath.Join(bin, "broken")))
	require.NoError(t, builder.Ensure(context.Background(), thing))
	require.True(t, thing.Built(builder.CacheDir))
}

func TestWhatIsMissingIsToldBeforeTheBuild(t *testing.T) {
	builder, bin, _ := workshop(t)
	vast := thing
	vast.Modules = 1 << 60
	require.ErrorContains(t, builder.Ensure(context.Background(), vast), "make room")

	t.Setenv("PATH", bin)
	require.NoError(t, os.Remove(filepath.Join(bin, "cc")))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\nprintf 'cc\\n/tmp\\n/tmp\\n'\n"), 0o755))
	require.ErrorContains(t, builder.Ensure(context.Background(), thing), `the C compiler "cc" is not on the PATH`)

	t.Setenv("PATH", t.TempDir())
	require.ErrorContains(t, builder.Ensure(context.Background(), thing), "the go command is not on the PATH")
	require.NoFileExists(t, filepath.Join(bin, "calls"))
}
