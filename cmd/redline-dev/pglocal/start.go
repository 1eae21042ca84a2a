package pglocal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
)

func (s *Server) data() string { return filepath.Join(s.location.base, "data") }

func (s *Server) program(name string) string { return filepath.Join(s.location.binaries, "bin", name) }

// initialise runs initdb in an empty folder; under a temporary name, so that an
// interrupted one is begun again. Collation C makes order and speed the same everywhere.
func (s *Server) initialise(ctx context.Context) error {
	passwordFile := filepath.Join(s.location.base, "password")
	if kept, err := os.ReadFile(passwordFile); err == nil {
		if _, err := os.Stat(filepath.Join(s.data(), "PG_VERSION")); err == nil {
			s.password = strings.TrimSpace(string(kept))
			return nil
		}
	}
	s.password = randomWord()
	partial := s.data() + ".partial"
	if err := errors.Join(os.RemoveAll(partial), os.RemoveAll(s.data())); err != nil {
		return err
	}
	if err := s.writeOwned(passwordFile, s.password+"\n"); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, s.program("initdb"), "-U", "postgres", "-D", partial, "-A", "scram-sha-256",
		"--pwfile="+passwordFile, "--locale=C", "--encoding=UTF8", "--no-sync", "--no-instructions",
		// The password is no word that anybody could guess, so connections need not take longer for those who try.
		"--set=scram_iterations=1")
	command.Dir = s.location.base
	if s.location.as != nil {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: s.location.as.UID, Gid: s.location.as.GID}}
	}
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("initialise Postgres: %w\n%s", err, out)
	}
	return os.Rename(partial, s.data())
}

// writeOwned writes a file that only the server's user and root may read.
func (s *Server) writeOwned(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil || s.location.as == nil {
		return err
	}
	return os.Chown(path, int(s.location.as.UID), int(s.location.as.GID))
}

func randomWord() string {
	var bytes [18]byte
	_, _ = rand.Read(bytes[:])
	return hex.EncodeToString(bytes[:])
}

// takeOver ends a server that an earlier, killed run left on the same data.
func (s *Server) takeOver() error {
	_, err := child.Reap(filepath.Join(s.data(), "postmaster.pid"), syscall.SIGINT, stopGrace)
	return err
}

// run starts the server process.
func (s *Server) run() error {
	if s.options.Port == 0 {
		port, err := FreePort()
		if err != nil {
			return err
		}
		s.options.Port = port
	}
	s.logBegin = 0
	if info, err := os.Stat(s.logFile()); err == nil {
		s.logBegin = int(info.Size())
	}
	process, err := child.Start(child.Spec{
		Path: s.program("postgres"), Args: s.arguments(), Dir: s.location.base,
		Log: s.logFile(), As: s.location.as,
		// An immediate stop: the parent is dead, and the next start recovers from the log.
		DeathSignal: syscall.SIGQUIT,
	})
	s.process = process
	return err
}

func (s *Server) logFile() string {
	if s.options.Log != "" {
		return s.options.Log
	}
	return filepath.Join(s.options.Dir, "postgres.log")
}

// arguments are the server's settings: loopback only, no socket file (its path
// may be too long), memory for a developer's machine.
func (s *Server) arguments() []string {
	connections := s.options.MaxConnections
	if connections == 0 {
		connections = defaultConnections
	}
	settings := []string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=", "port=" + strconv.Itoa(s.options.Port),
		"max_connections=" + strconv.Itoa(connections), "shared_buffers=256MB", "max_wal_size=2GB", "timezone=UTC",
		"log_timezone=UTC", "log_line_prefix=%m [%p] ",
	}
	if s.options.Temporary {
		settings = append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=64MB")
	}
	args := []string{"-D", s.data()}
	for _, setting := range append(settings, s.options.Settings...) {
		args = append(args, "-c", setting)
	}
	return args
}

// waitReady asks until the server answers, it ends, or time is up.
func (s *Server) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	go func() {
		defer cancel() // whoever else has the port may never answer
		select {
		case <-s.process.Done():
		case <-ctx.Done():
		}
	}()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			if !s.process.Running() {
				return s.endedAtStart()
			}
			return fmt.Errorf("the Postgres server does not answer; its log is %s: %w", s.logFile(), err)
		case <-time.After(probe):
		}
	}
}

// endedAtStart explains by the log why the server did not stay.
func (s *Server) endedAtStart() error {
	last := s.sinceStart()
	err := fmt.Errorf("the Postgres server ended at its start; its log is %s:\n%s", s.logFile(), last)
	if strings.Contains(last, "pre-existing shared memory block") {
		return errors.Join(errStillLeaving, err)
	}
	if strings.Contains(last, "could not create any TCP/IP sockets") {
		return errors.Join(errPortTaken, err)
	}
	return err
}

// sinceStart is the end of what the log says of this start.
func (s *Server) sinceStart() string {
	text, err := os.ReadFile(s.logFile())
	if err != nil {
		return err.Error()
	}
	const most = 1500
	return string(text[max(min(s.logBegin, len(text)), len(text)-most):])
}
