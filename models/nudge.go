package models

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
)

const (
	// nudgeChannel is the channel of Postgres that carries nudges.
	nudgeChannel = "redline_nudge"
	// nudgeEvery is the least time between two notifications of one process. A
	// notification takes a lock of the whole database when it commits, so many
	// commits share one and none is ever sent inside a transaction.
	nudgeEvery = 20 * time.Millisecond
	// nudgeIDs is how many destination ids go into one payload; Postgres takes
	// 8,000 bytes, an id has 30.
	nudgeIDs = 200
	// nudgeAsk is how long a listener waits before it asks whether its
	// connection still lives.
	nudgeAsk = 30 * time.Second
	// nudgeReconnect is the pause after a listener lost its connection.
	nudgeReconnect = time.Second
)

// Nudges carries the hint that committed rows are owed to the engine: in this
// process by a call, to other processes by a debounced notification. A nudge
// may be lost, late or doubled; whoever listens also polls.
type Nudges struct {
	db     *DB
	origin string
	wake   chan struct{}

	mu             sync.Mutex
	owed           nudge
	onExecutions   []func()
	onPokes        func() Handover
	onDestinations []func(ids []string)
	onVersions     []func()
}

// nudge is the payload of a notification. Origin keeps a process from hearing
// itself.
type nudge struct {
	Origin       string   `json:"origin"`
	Executions   bool     `json:"executions,omitempty"`
	Versions     bool     `json:"versions,omitempty"`
	Destinations []string `json:"destinations,omitempty"`
}

// NewNudges makes the carrier of one process. Run must be called for other
// processes to hear it, Listen to hear them.
func NewNudges(db *DB) *Nudges {
	return &Nudges{db: db, origin: id.New("nudge"), wake: make(chan struct{}, 1)}
}

// OnExecutions adds a hook that is called whenever executions may be owed a
// start or a poke. It runs on the committing goroutine, so it must not block.
func (n *Nudges) OnExecutions(hook func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.onExecutions = append(n.onExecutions, hook)
}

// OnDestinations adds a hook that is called whenever destinations may have rows
// to send. No ids means that it is not known which. It must not block.
func (n *Nudges) OnDestinations(hook func(ids []string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.onDestinations = append(n.onDestinations, hook)
}

// OnVersions adds a hook that is called whenever versions of sources may be owed
// a run. It must not block.
func (n *Nudges) OnVersions(hook func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.onVersions = append(n.onVersions, hook)
}

// Executions tells, after the commit, that executions are owed a start or poke.
func (n *Nudges) Executions() {
	n.mu.Lock()
	n.owed.Executions = true
	n.mu.Unlock()
	n.hear(nudge{Executions: true})
	n.rouse()
}

// Destinations tells, after the commit, that these destinations have rows to
// send.
func (n *Nudges) Destinations(ids ...string) {
	if len(ids) == 0 {
		return
	}
	n.mu.Lock()
	n.owed.Destinations = append(n.owed.Destinations, ids...)
	n.mu.Unlock()
	n.hear(nudge{Destinations: ids})
	n.rouse()
}

// Versions tells, after the commit, that versions of sources are owed a run.
func (n *Nudges) Versions() {
	n.mu.Lock()
	n.owed.Versions = true
	n.mu.Unlock()
	n.hear(nudge{Versions: true})
	n.rouse()
}

func (n *Nudges) rouse() {
	select {
	case n.wake <- struct{}{}:
	default: // it is already on
	}
}

// hear calls the hooks of this process.
func (n *Nudges) hear(heard nudge) {
	n.mu.Lock()
	executions, destinations, versions := n.onExecutions, n.onDestinations, n.onVersions
	n.mu.Unlock()
	if heard.Executions {
		call(executions)
	}
	if heard.Versions {
		call(versions)
	}
	if heard.Destinations != nil {
		for _, hook := range destinations {
			hook(heard.Destinations)
		}
	}
}

func call(hooks []func()) {
	for _, hook := range hooks {
		hook()
	}
}

// Run sends notifications, at most one statement every 20 ms, until ctx ends.
// One that cannot be sent is dropped: whoever listens polls as well.
func (n *Nudges) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.wake:
		}
		n.Flush(ctx)
		pause(ctx, nudgeEvery)
	}
}

// Flush sends what is owed to other processes now, for a process that ends
// before Run would. What cannot be sent is dropped.
func (n *Nudges) Flush(ctx context.Context) {
	_, err := n.db.Pool.Exec(ctx, `SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload`, nudgeChannel, n.payloads())
	if err != nil && ctx.Err() == nil {
		slog.DebugContext(ctx, "a nudge was not sent", "error", err)
	}
}

// payloads takes what is owed and writes it in pieces that fit, each
// destination once.
func (n *Nudges) payloads() []string {
	n.mu.Lock()
	owed := n.owed
	n.owed = nudge{}
	n.mu.Unlock()
	seen := make(map[string]bool, len(owed.Destinations))
	piece := nudge{Origin: n.origin, Executions: owed.Executions, Versions: owed.Versions}
	var out []string
	for _, dst := range owed.Destinations {
		if seen[dst] {
			continue
		}
		seen[dst] = true
		if piece.Destinations = append(piece.Destinations, dst); len(piece.Destinations) == nudgeIDs {
			out = append(out, piece.text())
			piece = nudge{Origin: n.origin}
		}
	}
	if piece.Executions || piece.Versions || len(piece.Destinations) > 0 {
		out = append(out, piece.text())
	}
	return out
}

func (p nudge) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "{}" // strings and booleans always marshal
	}
	return string(text)
}

// Listen hears other processes until ctx ends, on a connection outside the
// pool. After each connect it calls all hooks once, because what was sent
// before was missed.
func (n *Nudges) Listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := n.listen(ctx); err != nil && ctx.Err() == nil {
			slog.DebugContext(ctx, "the listener lost its connection", "error", err)
		}
		pause(ctx, nudgeReconnect)
	}
}

func (n *Nudges) listen(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, n.db.Pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+nudgeChannel); err != nil {
		return err
	}
	n.hear(nudge{Executions: true, Versions: true, Destinations: []string{}})
	for {
		if err := n.next(ctx, conn); err != nil {
			return err
		}
	}
}

// next waits for one notification; after a quiet time it asks whether the
// connection still lives.
func (n *Nudges) next(ctx context.Context, conn *pgx.Conn) error {
	wait, cancel := context.WithTimeout(ctx, nudgeAsk)
	defer cancel()
	note, err := conn.WaitForNotification(wait)
	if err != nil {
		if wait.Err() != nil && ctx.Err() == nil {
			return conn.Ping(ctx)
		}
		return err
	}
	var heard nudge
	if json.Unmarshal([]byte(note.Payload), &heard) == nil && heard.Origin != n.origin {
		n.hear(heard)
	}
	return nil
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
