package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/redline-svc/redline/cmd/redline-dev/temporal"
	"github.com/redline-svc/redline/cmd/redline-dev/weaviate"
	"github.com/redline-svc/redline/internal/filelock"
)

const (
	// Blocks of ports lie below the range from which systems take the ports of
	// outgoing connections, so a server that is started again finds its port free.
	firstBlock, lastBlock, blockSize = 20_000, 31_000, 32
	blockTries                       = 200
	// The usual ports of the interface, the operations listener, the console and the Temporal UI.
	usualHTTP, usualOps, usualConsole, usualUI = 8080, 8081, 8082, 8233
)

// ports are the TCP ports of a stack on 127.0.0.1. Block is the first of a
// block of its own; the four that people type may lie elsewhere.
type ports struct {
	Block   int `json:"block"`
	HTTP    int `json:"http"`
	Ops     int `json:"ops"`
	Console int `json:"console"`
	UI      int `json:"ui"`
	lock    *filelock.Lock
}

// Places in the block.
const (
	atHTTP = iota
	atOps
	atConsole
	atUI
	atPostgres
	atReceiver
	atInbox
	atSMTP
	atTemporal
)

// atWeaviate comes after the eight ports of Temporal.
const atWeaviate = atTemporal + 8

func (p *ports) postgres() int { return p.Block + atPostgres }
func (p *ports) receiver() int { return p.Block + atReceiver }
func (p *ports) inbox() int    { return p.Block + atInbox }
func (p *ports) smtp() int     { return p.Block + atSMTP }

func (p *ports) temporal() temporal.Ports {
	at := p.Block + atTemporal
	return temporal.Ports{
		Frontend: at, FrontendRing: at + 1, History: at + 2, HistoryRing: at + 3,
		Matching: at + 4, MatchingRing: at + 5, Worker: at + 6, WorkerRing: at + 7,
	}
}

func (p *ports) weaviate() weaviate.Ports { return weaviate.PortsFrom(p.Block + atWeaviate) }

// choosePorts takes the ports of the last time where they are free, and others
// otherwise. The block is locked for this machine's other stacks of the user.
func choosePorts(f folder, free bool) (*ports, error) {
	file := f.path("ports.json")
	chosen := &ports{}
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, chosen); err != nil {
			return nil, fmt.Errorf("%s is damaged; remove it and start again: %w", file, err)
		}
	}
	if err := chosen.takeBlock(); err != nil {
		return nil, err
	}
	chosen.HTTP = pick(chosen.HTTP, usualHTTP, chosen.Block+atHTTP, free)
	chosen.Ops = pick(chosen.Ops, usualOps, chosen.Block+atOps, free)
	chosen.Console = pick(chosen.Console, usualConsole, chosen.Block+atConsole, free)
	chosen.UI = pick(chosen.UI, usualUI, chosen.Block+atUI, free)
	text, err := json.Marshal(chosen)
	if err != nil {
		return nil, err
	}
	return chosen, os.WriteFile(file, append(text, '\n'), 0o600)
}

// pick is the kept port, else the usual one, else that of the block.
func pick(kept, usual, own int, free bool) int {
	if !free {
		for _, port := range []int{kept, usual} {
			if port != 0 && available("127.0.0.1", port) {
				return port
			}
		}
	}
	return own
}

// takeBlock locks the kept block, or another one that is wholly free.
func (p *ports) takeBlock() error {
	for try := range blockTries {
		if try > 0 || p.Block == 0 {
			p.Block = firstBlock + blockSize*rand.IntN((lastBlock-firstBlock)/blockSize)
		}
		lock, err := filelock.Try(blockLock(p.Block))
		if errors.Is(err, filelock.ErrHeld) {
			continue
		}
		if err != nil {
			return err
		}
		if blockFree(p.Block) {
			p.lock = lock
			return nil
		}
		lock.Release()
	}
	return fmt.Errorf("no block of %d free ports between %d and %d", blockSize, firstBlock, lastBlock)
}

func blockLock(block int) string {
	return filepath.Join(os.TempDir(), "redline-ports-"+strconv.Itoa(os.Getuid()), strconv.Itoa(block))
}

func blockFree(block int) bool {
	for port := block; port < block+blockSize; port++ {
		if !available("127.0.0.1", port) {
			return false
		}
	}
	return true
}

// available reports whether nobody listens there and we may.
func available(host string, port int) bool {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	_ = listener.Close()
	// Some systems let us listen beside somebody who listens on all addresses.
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return true
	}
	_ = conn.Close()
	return false
}

// checkConfigured refuses a start with a configured address that is in use.
func checkConfigured(name, address string) error {
	if address == "" {
		return nil
	}
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s=%s is no address of the form host:port", name, address)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%s=%s has no number as its port", name, address)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	if !available(host, port) {
		return fmt.Errorf("port %d of %s is in use by another program: stop it, choose another port in %s, or unset %s to have a free one taken", port, name, name, name)
	}
	return nil
}
