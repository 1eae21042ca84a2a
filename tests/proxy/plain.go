package proxy

import (
	"io"
	"net"
	"sync"
)

// Plain passes bytes on and can be gone: then connections are refused, and open
// ones are cut.
type Plain struct {
	address, target string

	mu       sync.Mutex
	listener net.Listener
	open     map[net.Conn]bool
}

// NewPlain listens on a free port of loopback and forwards to target.
func NewPlain(target string) (*Plain, error) {
	p := &Plain{address: "127.0.0.1:0", target: target, open: map[net.Conn]bool{}}
	return p, p.Up()
}

// Addr is where clients connect to; it stays the same.
func (p *Plain) Addr() string { return p.address }

// Up listens again after Down.
func (p *Plain) Up() error {
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.listener, p.address = listener, listener.Addr().String()
	p.mu.Unlock()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return nil
}

// Down refuses connections and cuts the open ones.
func (p *Plain) Down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
	for conn := range p.open {
		_ = conn.Close()
	}
}

func (p *Plain) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	p.keep(client, server, true)
	defer p.keep(client, server, false)
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // an end is an end, whatever it was
			_ = way[0].Close()
			_ = way[1].Close()
		})
	}
	both.Wait()
}

func (p *Plain) keep(client, server net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range []net.Conn{client, server} {
		if open {
			p.open[conn] = true
		} else {
			delete(p.open, conn)
		}
	}
}
