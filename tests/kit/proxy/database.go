package proxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

const (
	// messageLimit is above the largest message a test's process sends.
	messageLimit = 64 << 20
	// readAhead is above the number of messages that a client sends without
	// waiting for an answer.
	readAhead = 4096
)

// Database is a proxy in front of Postgres that knows the frontend's messages.
type Database struct {
	address string
	target  string

	mu       sync.Mutex
	listener net.Listener
	conns    map[*link]struct{}
	rules    []*statement
	frozen   *Hold
}

// statement holds client messages that fit, or the answers to them; with commit, that of
// the transaction in which one fits.
type statement struct {
	*Hold
	fits          func(kind byte, body []byte) bool
	reply, commit bool
}

// NewDatabase listens on a free loopback port and forwards to target (host:port).
func NewDatabase(target string) (*Database, error) {
	d := &Database{target: target, address: "127.0.0.1:0", conns: map[*link]struct{}{}}
	return d, d.Mend()
}

// Addr returns host:port of the proxy, the same over Cut and Mend.
func (d *Database) Addr() string { return d.address }

// Mend takes connections again.
func (d *Database) Mend() error {
	listener, err := net.Listen("tcp", d.address)
	if err != nil {
		return fmt.Errorf("database proxy: %w", err)
	}
	d.mu.Lock()
	d.listener, d.address = listener, listener.Addr().String()
	d.mu.Unlock()
	go d.accept(listener)
	return nil
}

// Cut breaks every connection and refuses new ones.
func (d *Database) Cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.listener.Close()
	for conn := range d.conns {
		conn.end()
	}
}

// Close ends the proxy and lets go of all that is held.
func (d *Database) Close() {
	d.Thaw()
	d.mu.Lock()
	for _, rule := range d.rules {
		rule.Release()
	}
	d.mu.Unlock()
	d.Cut()
}

// Freeze stops every message of every client, also of new ones, until Thaw.
func (d *Database) Freeze() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.frozen == nil {
		d.frozen = newHold()
	}
}

// Thaw lets the messages go on that Freeze stopped.
func (d *Database) Thaw() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.frozen != nil {
		d.frozen.Release()
		d.frozen = nil
	}
}

// HoldRequest stops a client's message before it is forwarded.
func (d *Database) HoldRequest(fits func(kind byte, body []byte) bool) *Hold {
	return d.hold(&statement{Hold: newHold(), fits: fits})
}

// HoldReply forwards the message and stops everything that is answered on that
// connection from then on.
func (d *Database) HoldReply(fits func(kind byte, body []byte) bool) *Hold {
	return d.hold(&statement{Hold: newHold(), fits: fits, reply: true})
}

// HoldCommit stops the commit of a transaction in which a client's message fits, before it is
// forwarded.
func (d *Database) HoldCommit(fits func(kind byte, body []byte) bool) *Hold {
	return d.hold(&statement{Hold: newHold(), fits: fits, commit: true})
}

// HoldCommitReply forwards that commit and stops everything that is answered on its connection
// from then on.
func (d *Database) HoldCommitReply(fits func(kind byte, body []byte) bool) *Hold {
	return d.hold(&statement{Hold: newHold(), fits: fits, commit: true, reply: true})
}

// Says returns a condition that fits messages which contain the text, in whatever case.
func Says(text string) func(byte, []byte) bool {
	lower := bytes.ToLower([]byte(text))
	return func(_ byte, body []byte) bool { return bytes.Contains(bytes.ToLower(body), lower) }
}

func (d *Database) hold(rule *statement) *Hold {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rules = append(d.rules, rule)
	return rule.Hold
}

func (d *Database) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go d.serve(client)
	}
}

func (d *Database) serve(client net.Conn) {
	server, err := net.Dial("tcp", d.target)
	if err != nil {
		_ = client.Close()
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &link{database: d, client: client, server: server, cancel: cancel, fitted: map[*statement]bool{}, commits: map[string]bool{}}
	d.mu.Lock()
	d.conns[l] = struct{}{}
	d.mu.Unlock()
	go l.answers(ctx)
	l.requests(ctx)
	l.end()
	d.mu.Lock()
	delete(d.conns, l)
	d.mu.Unlock()
}

// link is one connection through the proxy.
type link struct {
	database       *Database
	client, server net.Conn
	cancel         context.CancelFunc
	// fitted are the rules whose commit is the next one.
	fitted map[*statement]bool
	// commits are the names of prepared statements that commit.
	commits map[string]bool

	mu   sync.Mutex
	stop *Hold
}

func (l *link) end() {
	l.cancel()
	_ = l.client.Close()
	_ = l.server.Close()
}

// message is one of the client's, as it came.
type message struct {
	kind byte
	text []byte
}

// requests forwards the client's messages one by one until the client has gone:
// what stands at a hold then never reaches the server.
func (l *link) requests(ctx context.Context) {
	messages := make(chan message, readAhead)
	go l.listen(ctx, messages)
	for {
		select {
		case m := <-messages:
			if l.pass(ctx, m) != nil {
				return
			}
			if _, err := l.server.Write(m.text); err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// listen reads ahead, so that the end of a client is seen while one of its
// messages is held. The first messages, until the start-up, have no kind.
func (l *link) listen(ctx context.Context, messages chan<- message) {
	defer l.cancel()
	started := false
	for {
		kind, text, err := read(l.client, started)
		if err != nil {
			return
		}
		started = started || isStartup(text)
		select {
		case messages <- message{kind, text}:
		case <-ctx.Done():
			return
		}
	}
}

// pass holds a message as long as it has to be held, and marks the answers to be held.
func (l *link) pass(ctx context.Context, m message) error {
	var holds []*Hold
	commit := l.isCommit(m)
	l.database.mu.Lock()
	if l.database.frozen != nil {
		holds = append(holds, l.database.frozen)
	}
	for _, rule := range l.database.rules {
		if !l.meets(rule, m, commit) {
			continue
		}
		if rule.reply {
			l.mu.Lock()
			l.stop = rule.Hold
			l.mu.Unlock()
			continue
		}
		holds = append(holds, rule.Hold)
	}
	l.database.mu.Unlock()
	for _, hold := range holds {
		if err := hold.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// meets reports whether a message is what the rule holds.
func (l *link) meets(rule *statement, m message, commit bool) bool {
	fits := rule.fits(m.kind, m.text)
	if !rule.commit {
		return fits
	}
	if l.fitted[rule] && commit {
		l.fitted[rule] = false
		return true
	}
	l.fitted[rule] = l.fitted[rule] || fits
	return false
}

// isCommit reports whether a message commits, by itself or among others before their end: as
// a simple query, or as a statement that was prepared.
func (l *link) isCommit(m message) bool {
	const query, prepare, bind, head = 'Q', 'P', 'B', 5
	if m.kind != query && m.kind != prepare && m.kind != bind {
		return false
	}
	parts := bytes.SplitN(m.text[head:], []byte{0}, 3)
	switch m.kind {
	case prepare:
		l.commits[string(parts[0])] = isCommitText(parts[1])
		return false
	case bind:
		return l.commits[string(parts[1])]
	default:
		return isCommitText(parts[0])
	}
}

func isCommitText(statement []byte) bool { return bytes.EqualFold(statement, []byte("commit")) }

func (l *link) answers(ctx context.Context) {
	defer l.end()
	buffer := make([]byte, 64<<10)
	for {
		n, err := l.server.Read(buffer)
		if err != nil {
			return
		}
		l.mu.Lock()
		stop := l.stop
		l.mu.Unlock()
		if stop != nil && stop.wait(ctx) != nil {
			return
		}
		if _, err := l.client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// sslRequest and gssRequest are the codes of the two messages that may stand
// before the start-up message.
const (
	sslRequest = 80877103
	gssRequest = 80877104
)

func isStartup(message []byte) bool {
	if len(message) < 8 {
		return false
	}
	code := binary.BigEndian.Uint32(message[4:8])
	return code != sslRequest && code != gssRequest
}

// read takes one whole message. With a kind byte in front once the connection
// has started, without one before.
func read(from io.Reader, started bool) (byte, []byte, error) {
	head := make([]byte, 5)
	if !started {
		head = head[:4]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	length := int(binary.BigEndian.Uint32(head[len(head)-4:]))
	if length < 4 || length > messageLimit {
		return 0, nil, errors.New("not a message of the database protocol")
	}
	message := make([]byte, len(head)+length-4)
	copy(message, head)
	_, err := io.ReadFull(from, message[len(head):])
	if !started {
		return 0, message, err
	}
	return head[0], message, err
}
