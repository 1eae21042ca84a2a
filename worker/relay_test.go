package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/redline-svc/redline/internal/pump"
	"github.com/redline-svc/redline/models/execution"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// marks plays the outbox of pokes.
type marks struct {
	mu      sync.Mutex
	due     []execution.Poke
	claims  []int
	sent    map[string]int
	back    int
	sweeps  int
	changed chan struct{}
}

func newMarks(n int) *marks {
	m := &marks{sent: map[string]int{}, changed: make(chan struct{}, 1)}
	for i := range n {
		m.due = append(m.due, execution.Poke{ExecutionID: fmt.Sprintf("exec_%d", i), Revision: int64(i)})
	}
	return m
}

func (m *marks) ClaimPokes(_ context.Context, _ string, limit int) (execution.PokeBatch, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.claims = append(m.claims, limit)
	n := min(limit, len(m.due))
	claimed := m.due[:n]
	m.due = m.due[n:]
	m.notify()
	return execution.PokeBatch{Pokes: claimed, More: n == limit}, nil
}

func (m *marks) AckPoke(_ context.Context, p execution.Poke) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent[p.ExecutionID]++
	m.notify()
	return nil
}

func (m *marks) ReleasePokes(_ context.Context, pokes []execution.Poke) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.back += len(pokes)
	m.due = append(m.due, pokes...)
	m.notify()
	return nil
}

func (m *marks) Sweep(context.Context) (int, error)   { m.sweeps++; return 2, nil }
func (m *marks) GrantCallSlots(context.Context) error { return nil }

func (m *marks) notify() {
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// until waits until the rows are like that.
func (m *marks) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		m.mu.Lock()
		ok := holds()
		m.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-m.changed:
		case <-deadline:
			require.FailNow(t, what)
		}
	}
}

// running starts a relay and gives the function that stops it and waits.
func running(t *testing.T, m *marks, senders int, send sendPoke) (*relay, func()) {
	t.Helper()
	r := newRelay(m, senders, slog.New(slog.DiscardHandler))
	return r, started(t, r, send)
}

// started runs a relay; the function it gives stops it.
func started(t *testing.T, r *relay, send sendPoke) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { r.run(ctx, send) })
	stop := sync.OnceFunc(func() { cancel(); done.Wait() })
	t.Cleanup(stop)
	return stop
}

func TestRelaySendsWhatIsDueSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const due, senders = 400, 8
		m := newMarks(due)
		begun, release := make(chan struct{}, due), make(chan struct{})
		_, stop := running(t, m, senders, func(context.Context, execution.Poke) error {
			begun <- struct{}{}
			<-release
			return nil
		})
		synctest.Wait()
		require.Len(t, begun, senders, "as many as there are senders are under way")
		close(release)
		m.until(t, "all are sent", func() bool { return len(m.sent) == due })
		stop()
		for id, n := range m.sent {
			require.Equal(t, 1, n, id)
		}
		for _, limit := range m.claims {
			require.Equal(t, senders, limit)
		}
	})
}

func TestASendThatHangsHoldsBackTheOthersForItsTurnAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const due = 50
		m := newMarks(due)
		hangs := make(chan struct{})
		began := time.Now()
		_, stop := running(t, m, 1, func(_ context.Context, p execution.Poke) error {
			if p.ExecutionID == "exec_0" {
				<-hangs
			}
			return nil
		})
		m.until(t, "all others are sent", func() bool { return len(m.sent) == due-1 })
		require.Equal(t, sendTurn, time.Since(began))
		require.NotContains(t, m.sent, "exec_0")
		close(hangs)
		stop()
		require.Equal(t, 1, m.sent["exec_0"])
	})
}

func TestRelayLooksWhenItIsWoken(t *testing.T) {
	m := newMarks(0)
	r := newRelay(m, 2, slog.New(slog.DiscardHandler))
	r.pump = pump.New(0) // never by itself
	started(t, r, func(context.Context, execution.Poke) error { return nil })
	m.until(t, "the first look found nothing", func() bool { return len(m.claims) == 1 })
	m.mu.Lock()
	m.due = append(m.due, execution.Poke{ExecutionID: "exec_new"})
	m.mu.Unlock()
	r.pump.Wake()
	m.until(t, "the new one is sent", func() bool { return m.sent["exec_new"] == 1 })
}

func TestRelayLooksWithoutAWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMarks(0)
		running(t, m, 2, func(context.Context, execution.Poke) error { return nil })
		m.until(t, "the first look found nothing", func() bool { return len(m.claims) > 0 })
		m.mu.Lock()
		m.due = append(m.due, execution.Poke{ExecutionID: "exec_new"})
		m.mu.Unlock()
		m.until(t, "the new one is sent", func() bool { return m.sent["exec_new"] == 1 })
	})
}

func TestRelayFindsOutWhenTheEngineIsBack(t *testing.T) {
	const due = 50
	m := newMarks(due)
	var mu sync.Mutex
	away := true
	running(t, m, 4, func(context.Context, execution.Poke) error {
		mu.Lock()
		defer mu.Unlock()
		if away {
			return errors.New("the engine is away")
		}
		return nil
	})
	m.until(t, "claims are given back", func() bool { return m.back >= 12 })
	m.until(t, "one at a time is tried", func() bool { return m.claims[len(m.claims)-1] == 1 })
	require.Empty(t, m.sent)
	mu.Lock()
	away = false
	mu.Unlock()
	m.until(t, "all are sent", func() bool { return len(m.sent) == due })
}

func TestRelayThatStopsGivesBackWhatItHasNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const due, senders = 100, 2
		m := newMarks(due)
		release := make(chan struct{})
		_, stop := running(t, m, senders, func(ctx context.Context, _ execution.Poke) error {
			<-release
			return ctx.Err()
		})
		synctest.Wait() // the senders are busy, and no more can be claimed
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		m.until(t, "what is claimed goes back", func() bool { return m.back > 0 })
		close(release)
		<-stopped
		require.Len(t, m.sent, senders, "what was under way has ended well")
		require.Len(t, m.due, due-senders)
	})
}
