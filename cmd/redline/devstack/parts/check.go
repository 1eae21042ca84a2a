package parts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// check looks, before anything is begun, for the tools and the space that building takes.
func (b Builder) check(ctx context.Context, missing []Part) error {
	goEnv, err := goEnvironment(ctx, "CC", "GOCACHE", "GOMODCACHE")
	if err != nil {
		return err
	}
	if err := checkCompiler(goEnv[0]); err != nil {
		return err
	}
	var need uint64
	for _, part := range missing {
		need += part.Space
	}
	for _, dir := range []string{b.CacheDir, goEnv[1], goEnv[2]} {
		if err := checkSpace(dir, need); err != nil {
			return err
		}
	}
	return nil
}

// goEnvironment asks the go command for settings of its own.
func goEnvironment(ctx context.Context, names ...string) ([]string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("the go command is not on the PATH: install Go 1.26 or newer (go.dev/doc/install) and start again")
	}
	out, err := exec.CommandContext(ctx, "go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	values := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(values) != len(names) {
		return nil, fmt.Errorf("go env answered %d lines instead of %d", len(values), len(names))
	}
	return values, nil
}

// checkCompiler looks for the C compiler that go would call; it may be named with arguments.
func checkCompiler(command string) error {
	name, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if _, err := exec.LookPath(name); name == "" || err != nil {
		return fmt.Errorf("the C compiler %q is not on the PATH: install one (Debian and Ubuntu: apt-get install gcc libc6-dev; macOS: xcode-select --install) or name another in CC, and start again", name)
	}
	return nil
}

// checkSpace refuses to begin what would fill the disk.
func checkSpace(dir string, need uint64) error {
	free, err := freeSpace(dir)
	if err != nil {
		return err
	}
	if free >= need {
		return nil
	}
	return fmt.Errorf("building the servers takes up to %.1f GB below %s and only %.1f GB are free there: make room, or set XDG_CACHE_HOME (servers), GOCACHE and GOMODCACHE (go) to a larger disk, and start again",
		float64(need)/gigabyte, dir, float64(free)/gigabyte)
}

// freeSpace is how many bytes this user may still write where the folder is, or will be.
func freeSpace(dir string) (uint64, error) {
	for {
		var stat syscall.Statfs_t
		err := syscall.Statfs(dir, &stat)
		if err == nil {
			return stat.Bavail * uint64(stat.Bsize), nil
		}
		if !os.IsNotExist(err) || dir == filepath.Dir(dir) {
			return 0, fmt.Errorf("look at the free space of %s: %w", dir, err)
		}
		dir = filepath.Dir(dir)
	}
}
