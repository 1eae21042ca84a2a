package nudge

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/pump"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// nudgeChannel is the channel of Postgres that carries nudges.
	nudgeChannel = "redline_nudge"
	// nudgeEvery is the least time between two notifications of one process. A
	// notification takes a lock of the whole database when it commits, so many
	// commits share one and none is ever sent inside a transaction.
	nudgeEvery = 20 * time.Millisecond
	// nudgeIDs is how many ids go into one payload; Postgres takes
	// 8,000 bytes, an id has 30.
	nudgeIDs = 200
	// nudgeAsk is how long a listener waits before it asks whether its
	// connection still lives.
	nudgeAsk = 30 * time.Second
	// nudgeReconnect is the pause after a listener lost its connection.
	nudgeReconnect = time.Second
)

// Topics of nudges.
const (
	// Executions says that executions are due a start or a poke. It has no ids.
	Executions pg.Topic = "executions"
	// Destinations says that destinations have rows to send; the ids are theirs.
	Destinations pg.Topic = "destinations"
	// Judgments says that judgments are owed to the index. It has no ids.
	Judgments pg.Topic = "judgments"
)

// Nudges carries the hint that committed rows want something of Temporal: within
// this process by a call, to other processes by a debounced notification. A nudge
// may be lost, late or doubled; whoever listens also polls.
type Nudges struct {
	db     *pg.DB
	origin string
	pump   *pump.Pump

	mu      sync.Mutex
	pending nudge
	hooks   map[pg.Topic][]func(ids []string)
}

// nudge is the payload of a notification: the topics with something to do, each
// with its ids, or with null for the topic as a whole. Origin keeps a process
// from hearing itself.
type nudge struct {
	Origin string                `json:"origin"`
	Topics map[pg.Topic][]string `json:"topics"`
}

// add notes a wake. A topic that is woken as a whole stays so.
func (p *nudge) add(w pg.Wake) {
	if p.Topics == nil {
		p.Topics = map[pg.Topic][]string{}
	}
	ids, known := p.Topics[w.Topic]
	if w.IDs == nil || known && ids == nil {
		p.Topics[w.Topic] = nil
		return
	}
	p.Topics[w.Topic] = append(ids, w.IDs...)
}

// New makes the nudges of one process and connects them to the transactions of the
// database. Run must be called for other processes to hear this one, Listen to hear
// them.
func New(db *pg.DB) *Nudges {
	n := &Nudges{db: db, origin: id.New("nudge"), pump: pump.New(0), hooks: map[pg.Topic][]func([]string){}}
	db.OnCommit(n.Wake)
	return n
}

// On adds a hook that is called whenever a topic may have something to do. Nil
// ids mean that it is not known which. It runs on the committing goroutine, so it
// must not block.
func (n *Nudges) On(topic pg.Topic, hook func(ids []string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hooks[topic] = append(n.hooks[topic], hook)
}

// Wake calls the hooks of this process at once and notifies other processes soon.
func (n *Nudges) Wake(wakes []pg.Wake) {
	n.mu.Lock()
	for _, w := range wakes {
		n.pending.add(w)
	}
	n.mu.Unlock()
	for _, w := range wakes {
		n.hear(w)
	}
	n.pump.Wake()
}

// hear calls the hooks of this process.
func (n *Nudges) hear(w pg.Wake) {
	n.mu.Lock()
	hooks := n.hooks[w.Topic]
	n.mu.Unlock()
	for _, hook := range hooks {
		hook(w.IDs)
	}
}

// hearAll calls the hooks of every topic.
func (n *Nudges) hearAll() {
	n.mu.Lock()
	topics := slices.Collect(maps.Keys(n.hooks))
	n.mu.Unlock()
	for _, topic := range topics {
		n.hear(pg.Wake{Topic: topic})
	}
}

// Run sends notifications, at most one statement every 20 ms, until ctx ends.
// One that cannot be sent is dropped: whoever listens polls as well.
func (n *Nudges) Run(ctx context.Context) {
	n.pump.Run(ctx, func(ctx context.Context) (more bool) {
		n.Flush(ctx)
		pause(ctx, nudgeEvery)
		return false
	})
}

// Flush notifies other processes now, for a process that ends before Run would. What
// cannot be sent is dropped. SQL by hand: a notification is no row.
func (n *Nudges) Flush(ctx context.Context) {
	_, err := n.db.Pool.Exec(ctx, `SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload`, nudgeChannel, n.payloads())
	if err != nil && ctx.Err() == nil {
		slog.DebugContext(ctx, "a nudge was not sent", "error", err)
	}
}

// payloads takes what is pending and writes it in pieces that fit, each id once.
func (n *Nudges) payloads() []string {
	n.mu.Lock()
	pending := n.pending
	n.pending = nudge{}
	n.mu.Unlock()
	var out []string
	piece, size := nudge{Origin: n.origin}, 0
	for _, topic := range slices.Sorted(maps.Keys(pending.Topics)) {
		if pending.Topics[topic] == nil {
			piece.add(pg.Wake{Topic: topic})
			continue
		}
		slices.Sort(pending.Topics[topic])
		for _, one := range slices.Compact(pending.Topics[topic]) {
			piece.add(pg.Wake{Topic: topic, IDs: []string{one}})
			if size++; size%nudgeIDs == 0 {
				out = append(out, piece.text())
				piece = nudge{Origin: n.origin}
			}
		}
	}
	if len(piece.Topics) > 0 {
		out = append(out, piece.text())
	}
	return out
}

func (p nudge) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "{}" // strings always marshal
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
	n.hearAll()
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
		for topic, ids := range heard.Topics {
			n.hear(pg.Wake{Topic: topic, IDs: ids})
		}
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
