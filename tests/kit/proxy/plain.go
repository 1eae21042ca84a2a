package proxy

import (
	"io"
	"net"
	"sync"
)

// Plain passes bytes on. It can be gone: then connections are refused, and open
// ones are cut. It can be frozen: then connections are taken and stay, and
// nothing passes.
type Plain struct {
	address, target string

	mu       sync.Mutex
	listener net.Listener
	open     map[net.Conn]bool
	// thawed is closed while bytes pass.
	thawed chan struct{}
}

// NewPlain listens on a free port of loopback and forwards to target.
func NewPlain(target string) (*Plain, error) {
	p := &Plain{address: "127.0.0.1:0", target: target, open: map[net.Conn]bool{}, thawed: make(chan struct{})}
	close(p.thawed)
	return p, p.Up()
}

// Addr returns host:port of the proxy, the same over Down and Up.
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

// Down refuses connections and cuts the open ones. Nothing is frozen after it.
func (p *Plain) Down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
	for conn := range p.open {
		_ = conn.Close()
	}
	p.thaw()
}

// Freeze keeps what either side sends until Thaw.
func (p *Plain) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thaw()
	p.thawed = make(chan struct{})
}

// Thaw lets pass what was kept, and all that comes.
func (p *Plain) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thaw()
}

func (p *Plain) thaw() {
	select {
	case <-p.thawed:
	default:
		close(p.thawed)
	}
}

// gate is the way to one side.
type gate struct {
	io.Writer
	p *Plain
}

func (g gate) Write(text []byte) (int, error) {
	g.p.mu.Lock()
	thawed := g.p.thawed
	g.p.mu.Unlock()
	<-thawed
	return g.Writer.Write(text)
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
			_, _ = io.Copy(gate{Writer: way[0], p: p}, way[1]) // an end is an end, whatever it was
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
