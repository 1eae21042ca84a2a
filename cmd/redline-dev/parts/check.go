package parts

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Check looks, before anything is begun, for the tools and the space that
// building takes those of the parts that are not there yet.
func (b Builder) Check(ctx context.Context, wanted ...Part) error {
	missing := b.missing(wanted)
	if len(missing) == 0 {
		return nil
	}
	goEnv, err := goEnvironment(ctx, "CC", "GOCACHE", "GOMODCACHE")
	if err != nil {
		return err
	}
	if err := checkCompiler(goEnv[0]); err != nil {
		return err
	}
	var needs [3]need
	for i, dir := range []string{b.CacheDir, goEnv[1], goEnv[2]} {
		needs[i].dir = dir
	}
	for _, part := range missing {
		needs[0].bytes += part.Size
		needs[1].bytes += part.Objects
		needs[2].bytes += part.Modules
	}
	return checkSpace(needs[:])
}

// need is what is going to be written below a folder.
type need struct {
	dir   string
	bytes uint64
}

// goEnvironment asks the go command for settings of its own.
func goEnvironment(ctx context.Context, names ...string) ([]string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("the go command is not on the PATH: install Go 1.26 or newer (go.dev/doc/install) and start again")
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

// checkSpace refuses to begin what would fill a disk. Folders on one disk share its space.
func checkSpace(needs []need) error {
	disks := map[uint64]need{}
	for _, n := range needs {
		disk, dir, err := diskOf(n.dir)
		if err != nil {
			return err
		}
		disks[disk] = need{dir: dir, bytes: disks[disk].bytes + n.bytes}
	}
	for _, n := range disks {
		free, err := freeSpace(n.dir)
		if err != nil {
			return err
		}
		if free < n.bytes {
			return fmt.Errorf("building the servers takes up to %.1f GB on the disk of %s and only %.1f GB are free there: make room, or set XDG_CACHE_HOME (servers), GOCACHE and GOMODCACHE (go) to a larger disk, and start again",
				float64(n.bytes)/gigabyte, n.dir, float64(free)/gigabyte)
		}
	}
	return nil
}

// diskOf is the file system where the folder is or will be, and the part of its path that is there.
func diskOf(dir string) (disk uint64, there string, err error) {
	for {
		var stat syscall.Stat_t
		err := syscall.Stat(dir, &stat)
		if err == nil {
			return uint64(stat.Dev), dir, nil //nolint:unconvert // it is narrower on other systems
		}
		if !errors.Is(err, syscall.ENOENT) || dir == filepath.Dir(dir) {
			return 0, "", fmt.Errorf("look at the disk of %s: %w", dir, err)
		}
		dir = filepath.Dir(dir)
	}
}

// freeSpace is how many bytes this user may still write there.
func freeSpace(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, fmt.Errorf("look at the free space of %s: %w", dir, err)
	}
	return stat.Bavail * uint64(stat.Bsize), nil
}
