package pglocal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/child"
)

const (
	// defaultConnections carries the engine's four services, which open 30 each, and ours.
	defaultConnections = 300
	// startLimit is how long a start may take; recovery after a kill is part of it.
	startLimit = 90 * time.Second
	// stopGrace is how long a stop may take before it is forced.
	stopGrace = 15 * time.Second
	// probe is how often a starting server is asked whether it is ready.
	probe = 20 * time.Millisecond
)

// Options say where a server lies and how large it is.
type Options struct {
	// Dir holds data, password and log. Required.
	Dir string
	// CacheDir holds the binaries; empty means DefaultCacheDir.
	CacheDir string
	// Port is the TCP port on 127.0.0.1; 0 takes a free one.
	Port int
	// MaxConnections is the server's limit; 0 means 300.
	MaxConnections int
	// Temporary is for tests: no fsync, and Stop removes all data.
	Temporary bool
	// Log is the server's log; empty means postgres.log in Dir.
	Log string
	// Settings are further server settings as name=value.
	Settings []string
}

// Server is a Postgres that runs.
type Server struct {
	options  Options
	place    place
	password string
	process  *child.Process
}

// Start fetches the binaries if need be, initialises the data folder if it is
// empty, starts the server and waits until it answers.
func Start(ctx context.Context, options Options) (*Server, error) {
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, err
	}
	options.Dir = dir
	if options.CacheDir == "" {
		if options.CacheDir, err = DefaultCacheDir(); err != nil {
			return nil, err
		}
	}
	binaries, err := Fetch(ctx, options.CacheDir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	server := &Server{options: options}
	if server.place, err = settle(ctx, dir, options.CacheDir, binaries); err != nil {
		return nil, err
	}
	if err := server.start(ctx); err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
}

func (s *Server) start(ctx context.Context) error {
	if err := s.initialise(ctx); err != nil {
		return err
	}
	if err := s.takeOver(); err != nil {
		return err
	}
	if err := s.run(); err != nil {
		return err
	}
	return s.waitReady(ctx)
}

// Port is the TCP port on 127.0.0.1.
func (s *Server) Port() int { return s.options.Port }

// Password is that of the user postgres.
func (s *Server) Password() string { return s.password }

// PID is the server's process id.
func (s *Server) PID() int { return s.process.PID() }

// Process is the server's process, for those who watch it or end it themselves.
func (s *Server) Process() *child.Process { return s.process }

// URL is the address of a database of this server, for the user postgres.
func (s *Server) URL(database string) string {
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword("postgres", s.password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.options.Port)), Path: "/" + database,
		RawQuery: "sslmode=disable",
	}
	return address.String()
}

// CreateDatabase makes a database of this name unless it exists. The name is ours, never a caller's.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&there); err != nil || there {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	return err
}

// Stop ends the server, connections or not, and removes the data of a temporary one.
func (s *Server) Stop() error {
	var err error
	if s.process != nil {
		err = s.process.Stop(syscall.SIGINT, stopGrace)
	}
	if s.options.Temporary {
		err = errors.Join(err, s.remove())
	}
	return err
}

// remove deletes what the server kept.
func (s *Server) remove() error {
	if s.place.base == "" {
		return nil
	}
	return errors.Join(os.RemoveAll(s.place.base), os.RemoveAll(s.options.Dir))
}

// Remove deletes the data of the server that lies in dir; it must not run.
func Remove(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if os.Getuid() == 0 {
		if err := os.RemoveAll(rootFolder(dir)); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

func (s *Server) data() string { return filepath.Join(s.place.base, "data") }

func (s *Server) program(name string) string { return filepath.Join(s.place.binaries, "bin", name) }

// initialise runs initdb in an empty place; under a temporary name, so that an
// interrupted one is begun again. Collation C makes order and speed the same everywhere.
func (s *Server) initialise(ctx context.Context) error {
	passwordFile := filepath.Join(s.place.base, "password")
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
		"--pwfile="+passwordFile, "--locale=C", "--encoding=UTF8", "--no-sync", "--no-instructions")
	command.Dir = s.place.base
	if s.place.as != nil {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: s.place.as.UID, Gid: s.place.as.GID}}
	}
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("initialise Postgres: %w\n%s", err, out)
	}
	return os.Rename(partial, s.data())
}

// writeOwned writes a file that only the server's user and root may read.
func (s *Server) writeOwned(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil || s.place.as == nil {
		return err
	}
	return os.Chown(path, int(s.place.as.UID), int(s.place.as.GID))
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
	process, err := child.Start(child.Spec{
		Path: s.program("postgres"), Args: s.arguments(), Dir: s.place.base,
		Log: s.logFile(), As: s.place.as,
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
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.process.Done():
			return fmt.Errorf("Postgres ended at its start; its log is %s:\n%s", s.logFile(), lastLines(s.logFile()))
		case <-ctx.Done():
			return fmt.Errorf("Postgres does not answer; its log is %s: %w", s.logFile(), err)
		case <-time.After(probe):
		}
	}
}

// lastLines is the end of a log, for an error's text.
func lastLines(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	const most = 1500
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return string(text)
}

// FreePort is a TCP port on 127.0.0.1 that nobody listens on now.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}
