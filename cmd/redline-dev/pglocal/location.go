package pglocal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
	"github.com/redline-svc/redline/internal/filelock"
)

// nobody is the uid and gid used by root where there is no user postgres.
const nobody = 65534

// rootBase is where root's servers lie: every user may enter it, and it outlives a restart.
const rootBase = "/var/tmp"

// location is where a server's binaries and data lie, and who it runs as.
type location struct {
	binaries string
	base     string
	as       *child.Identity
}

// settle decides the location for a data folder and makes it.
func settle(ctx context.Context, dir, cacheDir, binaries string) (location, error) {
	if os.Getuid() != 0 {
		return location{binaries: binaries, base: dir}, os.MkdirAll(dir, 0o700)
	}
	as := unprivileged()
	shared, err := publish(ctx, binaries, rootFolder(cacheDir))
	if err != nil {
		return location{}, err
	}
	base, name := rootFolder(dir), filepath.Join(dir, linkName)
	if now, err := os.Readlink(name); err != nil || now != base {
		// The folder asked for is new: data of an older one of this name was given up with it.
		if err := discard(base); err != nil {
			return location{}, err
		}
	}
	if err := ownFolder(base, as); err != nil {
		return location{}, err
	}
	return location{binaries: shared, base: base, as: &as}, link(base, name)
}

// linkName is the link in root's data folder to where the data really is.
const linkName = "data-folder"

// discard ends a server that a killed run left in the folder and deletes the folder.
func discard(folder string) error {
	if _, err := child.Reap(filepath.Join(folder, "data", "postmaster.pid"), syscall.SIGINT, stopGrace); err != nil {
		return err
	}
	return os.RemoveAll(folder)
}

// rootFolder is the folder below rootBase that stands for the given one.
func rootFolder(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(rootBase, "redline-"+hex.EncodeToString(sum[:6]))
}

// unprivileged is the user that root's servers run as.
func unprivileged() child.Identity {
	if found, err := user.Lookup("postgres"); err == nil {
		uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return child.Identity{UID: uint32(uid), GID: uint32(gid)}
		}
	}
	return child.Identity{UID: nobody, GID: nobody}
}

// ownFolder makes a folder that only the given user may enter.
func ownFolder(dir string, as child.Identity) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := trusted(dir, 0, as.UID); err != nil {
		return err
	}
	return os.Chown(dir, int(as.UID), int(as.GID))
}

// publish copies the binaries to where an unprivileged user can run them.
func publish(ctx context.Context, binaries, dir string) (string, error) {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	if err := trusted(dir, 0); err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(dir, "copy.lock"), nil)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	target := filepath.Join(dir, filepath.Base(binaries))
	if complete(target) && forEverybody(target) {
		return target, nil
	}
	if err := os.RemoveAll(target); err != nil {
		return "", err
	}
	partial := target + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return "", err
	}
	if err := copyTree(binaries, partial); err != nil {
		return "", fmt.Errorf("copy Postgres to %s: %w", dir, err)
	}
	return target, os.Rename(partial, target)
}

// forEverybody reports whether every user may enter a folder.
func forEverybody(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o005 == 0o005
}

// copyTree copies folders, files and links; everybody may read and run them, whatever the
// umask of this process leaves others.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		switch {
		case entry.IsDir():
			return errors.Join(os.Mkdir(target, 0o700), os.Chmod(target, 0o755))
		case entry.Type()&os.ModeSymlink != 0:
			pointed, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(pointed, target)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(target, content, 0o700), os.Chmod(target, 0o755))
	})
}

// trusted refuses a folder of a predictable name that somebody else made.
func trusted(dir string, owners ...uint32) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is not a folder of ours; remove it and start again", dir)
	}
	if slices.Contains(owners, owner.Uid) {
		return nil
	}
	return fmt.Errorf("%s belongs to another user; remove it and start again", dir)
}

// link makes name point to target, replacing an older link.
func link(target, name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if now, err := os.Readlink(name); err == nil && now == target {
		return nil
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(target, name)
}
