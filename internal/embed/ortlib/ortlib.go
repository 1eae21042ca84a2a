package ortlib

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/redline-svc/redline/internal/filelock"
)

// The module that carries the runtime, one for each operating system.
const (
	moduleBase    = "github.com/k2-fsa/sherpa-onnx-go-"
	moduleVersion = "v1.12.0"
	// runtimeVersion is the ONNX runtime inside the module.
	runtimeVersion = "1.17.1"
)

// ErrNone is that there is no library here and none can be fetched.
var ErrNone = errors.New("there is no ONNX runtime library; set REDLINE_ONNXRUNTIME_LIB to one")

// platform is where a system's module and files are.
type platform struct{ module, file, folder string }

var platforms = map[string]platform{
	"linux/amd64":   {"linux", "libonnxruntime.so", "x86_64-unknown-linux-gnu"},
	"linux/arm64":   {"linux", "libonnxruntime.so", "aarch64-unknown-linux-gnu"},
	"darwin/amd64":  {"macos", "libonnxruntime.1.17.1.dylib", "x86_64-apple-darwin"},
	"darwin/arm64":  {"macos", "libonnxruntime.1.17.1.dylib", "aarch64-apple-darwin"},
	"windows/amd64": {"windows", "onnxruntime.dll", "x86_64-pc-windows-gnu"},
}

// systemPaths are where packages of the system put the library.
var systemPaths = []string{
	"/usr/lib/libonnxruntime.so", "/usr/local/lib/libonnxruntime.so", "/usr/lib64/libonnxruntime.so",
	"/usr/lib/x86_64-linux-gnu/libonnxruntime.so", "/usr/lib/aarch64-linux-gnu/libonnxruntime.so",
	"/usr/local/lib/libonnxruntime.dylib", "/opt/homebrew/lib/libonnxruntime.dylib",
}

// Resolve returns the path of the library. configured wins when it is not empty;
// then it must exist. The go command is asked only when nothing else is there.
func Resolve(ctx context.Context, configured string) (string, error) {
	if configured != "" {
		if !isFile(configured) {
			return "", fmt.Errorf("%w: REDLINE_ONNXRUNTIME_LIB names no file", ErrNone)
		}
		return configured, nil
	}
	for _, path := range systemPaths {
		if isFile(path) {
			return path, nil
		}
	}
	return Cached(ctx)
}

// Cached returns the copy in the cache folder and makes it where it is missing.
func Cached(ctx context.Context) (string, error) {
	here, known := platforms[runtime.GOOS+"/"+runtime.GOARCH]
	if !known {
		return "", ErrNone
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNone, err)
	}
	folder := filepath.Join(cache, "redline", "onnxruntime-"+runtimeVersion)
	path := filepath.Join(folder, here.file)
	if isFile(path) {
		return path, nil
	}
	lock, err := filelock.Acquire(ctx, folder+".lock", nil)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	if isFile(path) {
		return path, nil
	}
	return path, fetch(ctx, here, path)
}

// fetch has the go command download the module and copies the library out of
// it, to a temporary name first.
func fetch(ctx context.Context, here platform, path string) error {
	module := moduleBase + here.module + "@" + moduleVersion
	command := exec.CommandContext(ctx, "go", "mod", "download", "-json", module) //nolint:gosec // fixed words
	// Outside of any module, so that no go.mod is looked at.
	command.Dir = os.TempDir()
	var out, trouble bytes.Buffer
	command.Stdout, command.Stderr = &out, &trouble
	if err := command.Run(); err != nil {
		return fmt.Errorf("%w: go mod download %s: %w %s", ErrNone, module, err, trouble.String())
	}
	var answer struct {
		Dir string `json:"Dir"`
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	library, err := os.ReadFile(filepath.Join(answer.Dir, "lib", here.folder, here.file))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a cache that others may read
		return err
	}
	if err := os.WriteFile(path+".partial", library, 0o644); err != nil { //nolint:gosec // a cache that others may read
		return err
	}
	return os.Rename(path+".partial", path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
