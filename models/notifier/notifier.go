package notifier

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
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// channel is the channel of Postgres that carries hints.
	channel = "redline_hints"
	// sendEvery is the least time between two notifications of one process. A
	// notification takes a lock of the whole database when it commits, so many
	// commits share one and none is ever sent inside a transaction.
	sendEvery = 20 * time.Millisecond
	// idsOfPayload is how many ids go into one payload; Postgres takes
	// 8,000 bytes, an id has 30.
	idsOfPayload = 200
	// askEvery is how long a listener waits before it asks whether its
	// connection still lives.
	askEvery = 30 * time.Second
	// reconnectAfter is the pause after a listener lost its connection.
	reconnectAfter = time.Second
)

// Topics of hints.
const (
	// Destinations says that destinations have rows to send; the ids are theirs.
	Destinations pg.Topic = "destinations"
)

// Notifier carries the hint that committed rows want something of Temporal: within
// this process by a call, to other processes by a debounced notification. A hints
// may be lost, late or doubled; whoever listens also polls.
type Notifier struct {
	db     *pg.DB
	origin string
	poll   *poll.Loop

	mu      sync.Mutex
	pending hints
	hooks   map[pg.Topic][]func(ids []string)
}

// hints is the payload of a notification: the topics with something to do, each
// with its ids, or with null for the topic as a whole. Origin keeps a process
// from hearing itself.
type hints struct {
	Origin string                `json:"origin"`
	Topics map[pg.Topic][]string `json:"topics"`
}

// add notes a hint. A topic that is notified as a whole stays so.
func (p *hints) add(w pg.Hint) {
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

// New makes the hints of one process and connects them to the transactions of its
// pools; it sends by the first one. Run must be called for other processes to hear this one,
// Listen to hear them.
func New(pools ...*pg.DB) *Notifier {
	n := &Notifier{db: pools[0], origin: id.New("hints"), poll: poll.New(0), hooks: map[pg.Topic][]func([]string){}}
	for _, db := range pools {
		db.OnCommit(n.Notify)
	}
	return n
}

// On adds a hook that is called whenever a topic may have something to do. Nil
// ids mean that it is not known which. It runs on the committing goroutine, so it
// must not block.
func (n *Notifier) On(topic pg.Topic, hook func(ids []string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hooks[topic] = append(n.hooks[topic], hook)
}

// Notify calls the hooks of this process at once and notifies other processes soon.
func (n *Notifier) Notify(hints []pg.Hint) {
	n.mu.Lock()
	for _, w := range hints {
		n.pending.add(w)
	}
	n.mu.Unlock()
	for _, w := range hints {
		n.hear(w)
	}
	n.poll.Notify()
}

// hear calls the hooks of this process.
func (n *Notifier) hear(w pg.Hint) {
	n.mu.Lock()
	hooks := n.hooks[w.Topic]
	n.mu.Unlock()
	for _, hook := range hooks {
		hook(w.IDs)
	}
}

// hearAll calls the hooks of every topic.
func (n *Notifier) hearAll() {
	n.mu.Lock()
	topics := slices.Collect(maps.Keys(n.hooks))
	n.mu.Unlock()
	for _, topic := range topics {
		n.hear(pg.Hint{Topic: topic})
	}
}

// Run sends notifications, at most one statement every 20 ms, until ctx ends.
// One that cannot be sent is dropped: whoever listens polls as well.
func (n *Notifier) Run(ctx context.Context) {
	n.poll.Run(ctx, func(ctx context.Context) (more bool) {
		n.Flush(ctx)
		pause(ctx, sendEvery)
		return false
	})
}

// Flush notifies other processes now, for a process that ends before Run would. What
// cannot be sent is dropped. SQL by hand: a notification is no row.
func (n *Notifier) Flush(ctx context.Context) {
	_, err := n.db.Pool.Exec(ctx, `SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload`, channel, n.payloads())
	if err != nil && ctx.Err() == nil {
		slog.DebugContext(ctx, "a hints was not sent", "error", err)
	}
}

// payloads takes what is pending and writes it in pieces that fit, each id once.
func (n *Notifier) payloads() []string {
	n.mu.Lock()
	pending := n.pending
	n.pending = hints{}
	n.mu.Unlock()
	var out []string
	piece, size := hints{Origin: n.origin}, 0
	for _, topic := range slices.Sorted(maps.Keys(pending.Topics)) {
		if pending.Topics[topic] == nil {
			piece.add(pg.Hint{Topic: topic})
			continue
		}
		slices.Sort(pending.Topics[topic])
		for _, one := range slices.Compact(pending.Topics[topic]) {
			piece.add(pg.Hint{Topic: topic, IDs: []string{one}})
			if size++; size%idsOfPayload == 0 {
				out = append(out, piece.text())
				piece = hints{Origin: n.origin}
			}
		}
	}
	if len(piece.Topics) > 0 {
		out = append(out, piece.text())
	}
	return out
}

func (p hints) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "{}" // strings always marshal
	}
	return string(text)
}

// Listen hears other processes until ctx ends, on a connection outside the
// pool. After each connect it calls all hooks once, because what was sent
// before was missed.
func (n *Notifier) Listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := n.listen(ctx); err != nil && ctx.Err() == nil {
			slog.DebugContext(ctx, "the listener lost its connection", "error", err)
		}
		pause(ctx, reconnectAfter)
	}
}

func (n *Notifier) listen(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, n.db.Pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
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
func (n *Notifier) next(ctx context.Context, conn *pgx.Conn) error {
	wait, cancel := context.WithTimeout(ctx, askEvery)
	defer cancel()
	note, err := conn.WaitForNotification(wait)
	if err != nil {
		if wait.Err() != nil && ctx.Err() == nil {
			return conn.Ping(ctx)
		}
		return err
	}
	var heard hints
	if json.Unmarshal([]byte(note.Payload), &heard) == nil && heard.Origin != n.origin {
		for topic, ids := range heard.Topics {
			n.hear(pg.Hint{Topic: topic, IDs: ids})
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
