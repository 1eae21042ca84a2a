package limit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/fault"
)

// clock is one time for the limiters and their store.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// memory is a store as the shared one is meant to be.
type memory struct {
	clock  *clock
	mu     sync.Mutex
	tokens map[string]float64
	filled map[string]time.Time
	visits int
	err    error
}

func newMemory(c *clock) *memory {
	return &memory{clock: c, tokens: map[string]float64{}, filled: map[string]time.Time{}}
}

func (m *memory) Take(_ context.Context, want Want) (Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.visits++
	if m.err != nil {
		return Grant{}, m.err
	}
	now, limit := m.clock.now(), float64(want.Capacity)
	if _, ok := m.filled[want.Bucket]; !ok {
		m.tokens[want.Bucket], m.filled[want.Bucket] = limit, now
	}
	full := min(limit, m.tokens[want.Bucket]+limit/60*now.Sub(m.filled[want.Bucket]).Seconds())
	granted := want.Tokens
	if granted > 0 {
		granted = max(0, min(granted, int(math.Floor(full+float64(want.Overdraw)))))
	}
	m.tokens[want.Bucket], m.filled[want.Bucket] = min(limit, full-float64(granted)), now
	return Grant{Tokens: granted, Left: m.tokens[want.Bucket]}, nil
}

func (m *memory) Enter(context.Context, string, time.Duration, int) (int64, time.Duration, error) {
	return 7, 0, m.err
}

func (m *memory) Leave(_ context.Context, use int64) error {
	m.tokens["left"] = float64(use)
	return nil
}

func limiters(c *clock, store Store, processes, rate int) []*Limiter {
	all := make([]*Limiter, processes)
	for i := range all {
		all[i] = New(store, nil, map[Class]int{Key: rate})
		all[i].now = c.now
	}
	return all
}

// However calls, processes and time are mixed, no more pass than the bucket
// held, what was refilled, and 5 % of the limit.
func TestNeverMoreThanFivePercentOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &clock{at: time.Unix(1_700_000_000, 0)}
		store := newMemory(c)
		rate := rapid.IntRange(1, 2000).Draw(t, "rate")
		all := limiters(c, store, rapid.IntRange(1, 5).Draw(t, "processes"), rate)
		started, passed := c.at, 0
		for range rapid.IntRange(1, 300).Draw(t, "rounds") {
			l := all[rapid.IntRange(0, len(all)-1).Draw(t, "process")]
			for range rapid.IntRange(1, 40).Draw(t, "calls") {
				if l.Take(t.Context(), Key, "ak", "") == nil {
					passed++
				}
			}
			switch rapid.IntRange(0, 3).Draw(t, "then") {
			case 0:
				c.at = c.at.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond)
			case 1:
				l.giveBack(t.Context())
			}
			most := float64(rate) + float64(rate)/60*c.at.Sub(started).Seconds() + float64(rate)/20
			if float64(passed) > most {
				t.Fatalf("%d passed, at most %.1f may", passed, most)
			}
		}
	})
}

// A burst that reaches all processes gets at least what the limit says.
func TestABurstGetsTheWholeLimit(t *testing.T) {
	for _, rate := range []int{1, 20, 120, 300, 1000} {
		c := &clock{at: time.Unix(1_700_000_000, 0)}
		all := limiters(c, newMemory(c), 3, rate)
		passed := 0
		for range rate * 2 {
			for _, l := range all {
				if l.Take(t.Context(), Key, "ak", "") == nil {
					passed++
				}
			}
		}
		require.GreaterOrEqual(t, passed, rate)
		require.LessOrEqual(t, passed, rate+rate/20)
	}
}

// What one process has borrowed and does not use does not keep others from the limit.
func TestALoanThatLiesUnusedIsMadeUpFor(t *testing.T) {
	c := &clock{at: time.Unix(1_700_000_000, 0)}
	all := limiters(c, newMemory(c), 3, 1000)
	passed := 0
	for i, l := range all {
		calls := 1
		if i == 2 {
			calls = 2000
		}
		for range calls {
			if l.Take(t.Context(), Key, "ak", "") == nil {
				passed++
			}
		}
	}
	require.GreaterOrEqual(t, passed, 1000)
}

func TestTheTimeToWaitIsThatUntilOneCallPasses(t *testing.T) {
	c := &clock{at: time.Unix(1_700_000_000, 0)}
	l := limiters(c, newMemory(c), 1, 6)[0]
	for range 6 {
		require.NoError(t, l.Take(t.Context(), Key, "ak", ""))
	}
	refused := fault.From(l.Take(t.Context(), Key, "ak", ""))
	require.Equal(t, fault.StatusResourceExhausted, refused.Status)
	require.InDelta(t, 10*time.Second, refused.RetryAfter, float64(time.Millisecond))
	c.at = c.at.Add(refused.RetryAfter - time.Second)
	require.Error(t, l.Take(t.Context(), Key, "ak", ""))
	c.at = c.at.Add(time.Second)
	require.NoError(t, l.Take(t.Context(), Key, "ak", ""))
}

func TestTheStoreIsNotAskedForEveryCall(t *testing.T) {
	c := &clock{at: time.Unix(1_700_000_000, 0)}
	store := newMemory(c)
	l := limiters(c, store, 1, 1000)[0]
	for range 3000 {
		_ = l.Take(t.Context(), Key, "ak", "") // some are refused
	}
	require.Less(t, store.visits, 1000*2/15)
}

func TestUnusedLoansAreGivenBackAndForgotten(t *testing.T) {
	c := &clock{at: time.Unix(1_700_000_000, 0)}
	store := newMemory(c)
	l := limiters(c, store, 1, 640)[0]
	require.NoError(t, l.Take(t.Context(), Key, "ak", ""))
	require.InDelta(t, 630, store.tokens["key/ak"], 0)
	l.giveBack(t.Context())
	require.InDelta(t, 630, store.tokens["key/ak"], 0, "still fresh")
	c.at = c.at.Add(loanTime + 1)
	store.filled["key/ak"] = c.at
	l.giveBack(t.Context())
	require.InDelta(t, 639, store.tokens["key/ak"], 0)
	require.Empty(t, l.loans)
}

func TestZeroSwitchesALimitOff(t *testing.T) {
	store := newMemory(&clock{})
	store.err = errors.New("must not be asked")
	l := New(store, nil, map[Class]int{Key: 0})
	require.NoError(t, l.Take(t.Context(), Key, "ak", ""))
	require.NoError(t, l.Take(t.Context(), None, "ak", "ws"))
	use, err := l.Enter(t.Context(), Create, "192.0.2.1")
	require.NoError(t, err)
	require.NoError(t, use.GiveBack(t.Context()))
}

func TestAStoreThatIsAwayIsNoRefusal(t *testing.T) {
	store := newMemory(&clock{})
	store.err = fault.Unavailable(errors.New("down"))
	l := New(store, nil, map[Class]int{Key: 10, Create: 10})
	require.True(t, fault.Is(l.Take(t.Context(), Key, "ak", ""), fault.StatusUnavailable))
	_, err := l.Enter(t.Context(), Create, "192.0.2.1")
	require.True(t, fault.Is(err, fault.StatusUnavailable))
}

func TestAUseIsGivenBackAlsoWhenTheCallerIsGone(t *testing.T) {
	store := newMemory(&clock{})
	use, err := New(store, nil, map[Class]int{Create: 1}).Enter(t.Context(), Create, "192.0.2.1")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, use.GiveBack(ctx))
	require.InDelta(t, 7, store.tokens["left"], 0)
}

// silent is a store that takes a question and says nothing.
type silent struct{ *memory }

func (silent) Leave(ctx context.Context, _ int64) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAStoreThatSaysNothingIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		use, err := New(silent{newMemory(&clock{})}, nil, map[Class]int{Create: 1}).Enter(t.Context(), Create, "192.0.2.1")
		require.NoError(t, err)
		require.ErrorIs(t, use.GiveBack(t.Context()), context.DeadlineExceeded)
	})
}

// settings are what an operator has set.
type settings struct {
	value int
	set   bool
	asked int
	err   error
}

func (s *settings) Limit(context.Context, string, string) (int, bool, error) {
	s.asked++
	return s.value, s.set, s.err
}

func TestOverridesHoldWithinSeconds(t *testing.T) {
	c := &clock{at: time.Unix(1_700_000_000, 0)}
	set := &settings{value: 2, set: true}
	l := New(newMemory(c), set, map[Class]int{Key: 1000})
	l.now = c.now
	for range 2 {
		require.NoError(t, l.Take(t.Context(), Key, "ak", "ws"))
	}
	require.Error(t, l.Take(t.Context(), Key, "ak", "ws"))
	require.Equal(t, 1, set.asked, "asked once for some seconds")
	set.value = 0
	c.at = c.at.Add(ruleTime + 1)
	for range 10 {
		require.NoError(t, l.Take(t.Context(), Key, "ak", "ws"), "0 is off")
	}
	set.set = false
	c.at = c.at.Add(ruleTime + 1)
	require.NoError(t, l.Take(t.Context(), Key, "ak", "ws"))
	require.Len(t, l.rules, 1)
	c.at = c.at.Add(2 * ruleTime)
	require.NoError(t, l.Take(t.Context(), Key, "ak", "ws_2"))
	require.Len(t, l.rules, 1, "what is out of date is forgotten")
	set.err = fault.Unavailable(errors.New("down"))
	require.Error(t, l.Take(t.Context(), Key, "ak", "ws_3"))
}

func TestAddress(t *testing.T) {
	for ip, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3::4": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "": "", "rubbish": "rubbish",
	} {
		require.Equal(t, want, Address(ip))
	}
}

// However many keys a workspace has, and a site hosts, together they have a rate. What a call
// counted in one bucket is given back where another refuses it.
func TestManyOfOneHaveARateInAll(t *testing.T) {
	for name, subject := range map[string]func(i int) (subject, workspaceID string){
		"keys":  func(i int) (string, string) { return fmt.Sprint("ak", i), "ws" },
		"hosts": func(i int) (string, string) { return Address(fmt.Sprintf("2001:db8:1:%x::1", i)), "" },
	} {
		c := &clock{at: time.Unix(1_700_000_000, 0)}
		store := newMemory(c)
		l := New(store, nil, map[Class]int{Key: 40})
		l.now = c.now
		passed := 0
		for call := range 4000 {
			of, workspaceID := subject(call % 20)
			if l.Take(t.Context(), Key, of, workspaceID) == nil {
				passed++
			}
		}
		most := 40 * map[string]int{"keys": keysOfWorkspace, "hosts": hostsOfSite}[name]
		require.InDelta(t, most, passed, float64(most)/20, name)
		require.NoError(t, l.Take(t.Context(), Key, "another", "ws_2"))
	}
}

func TestWhatIsGivenBackIsThereAgain(t *testing.T) {
	c := &clock{at: time.Unix(1_700_000_000, 0)}
	l := limiters(c, newMemory(c), 1, 2)[0]
	for range 5 {
		require.NoError(t, l.Take(t.Context(), Key, "ak", "ws"))
		l.GiveBack(Key, "ak", "ws")
	}
	l.GiveBack(Public, "192.0.2.7", "") // which has no limit
	for range 2 {
		require.NoError(t, l.Take(t.Context(), Key, "ak", "ws"))
	}
	require.Error(t, l.Take(t.Context(), Key, "ak", "ws"))
}

// What a call weighs more is refused to nobody, and waited for after it.
func TestWhatACallWeighsMoreIsCountedAfterIt(t *testing.T) {
	c := &clock{at: time.Unix(1_700_000_000, 0)}
	l := limiters(c, newMemory(c), 1, 60)[0]
	require.NoError(t, l.Take(t.Context(), Key, "ak", "ws"))
	require.NoError(t, l.Weigh(t.Context(), Key, "ak", "ws", 90))
	require.NoError(t, l.Weigh(t.Context(), Public, "192.0.2.7", "", 90), "it has no limit")
	require.Error(t, l.Take(t.Context(), Key, "ak", "ws"))
	c.at = c.at.Add(25 * time.Second)
	require.Error(t, l.Take(t.Context(), Key, "ak", "ws"), "31 were beyond the bucket")
	c.at = c.at.Add(10 * time.Second)
	require.NoError(t, l.Take(t.Context(), Key, "ak", "ws"))
	require.NoError(t, l.Take(t.Context(), Key, "other", "ws"), "all keys of the workspace have as much again")
}

func TestSite(t *testing.T) {
	for ip, want := range map[string]string{"192.0.2.7": "", "2001:db8:1:2:3::4": "2001:db8:1::/48", "ak_1": "", "": ""} {
		require.Equal(t, want, Site(Address(ip)))
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		New(newMemory(&clock{}), nil, nil).Run(ctx)
		close(done)
	}()
	cancel()
	<-done
}
