package pglocal

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
)

const (
	// defaultConnections carries Temporal's four services, which open 30 each, and ours.
	defaultConnections = 1000
	// startLimit is how long a start may take; recovery after a kill is part of it.
	startLimit = 90 * time.Second
	// leaveLimit is how long the processes of a server that was killed may take to notice:
	// one whose client has yet to say who it is waits a minute for that (authentication_timeout).
	leaveLimit = 75 * time.Second
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
	// MaxConnections is the server's limit; 0 means 1000: Temporal opens 120, each
	// process of the service 20, and tests run dozens of these side by side.
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
	location location
	password string
	process  *child.Process
	// logBegin is how long the log was when the process was started.
	logBegin int
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
	if server.location, err = settle(ctx, dir, options.CacheDir, binaries); err != nil {
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
	anyPort := s.options.Port == 0
	for deadline := time.Now().Add(leaveLimit); ; time.Sleep(probe) {
		if err := s.run(); err != nil {
			return err
		}
		err := s.waitReady(ctx)
		again := errors.Is(err, errStillLeaving) || anyPort && errors.Is(err, errPortTaken)
		if !again || time.Now().After(deadline) {
			return err
		}
		if anyPort {
			s.options.Port = 0
		}
	}
}

// errPortTaken says that somebody else took the port after it was found free.
var errPortTaken = errors.New("the port is taken")

// errStillLeaving says that processes of a server that was killed still hold
// its memory: they end by themselves in a moment.
var errStillLeaving = errors.New("processes of an earlier server have not ended yet")

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
	if s.location.base == "" {
		return nil
	}
	return errors.Join(os.RemoveAll(s.location.base), os.RemoveAll(s.options.Dir))
}

// Remove deletes the data of the server that lies in dir. One that a killed
// run left running there is ended first.
func Remove(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	folders := []string{dir}
	if os.Getuid() == 0 {
		folders = append(folders, rootFolder(dir))
	}
	for _, folder := range folders {
		if err := discard(folder); err != nil {
			return err
		}
	}
	return nil
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
