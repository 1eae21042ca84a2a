package limit

import (
	"context"
	"sync"
	"time"
)

const (
	// overdraw is the 5 % by which all processes together may pass a limit.
	overdraw = 20
	// share of a bucket that one process borrows at once: with 64 the loans of
	// three processes stay below what may be overdrawn.
	share = 64
	// loanTime is how long a loan may lie unused.
	loanTime = time.Second
)

// loan is what this process holds of one bucket.
type loan struct {
	mu     sync.Mutex
	tokens int
	want   Want
	until  time.Time
	// refusedUntil spares the store while a bucket is known to be empty.
	refusedUntil time.Time
	// gone says that the limiter has forgotten this loan.
	gone bool
}

// spend uses one token of the bucket; where there is none it returns how long
// until there is one.
func (l *Limiter) spend(ctx context.Context, bucket string, rate int) (time.Duration, error) {
	held := l.loan(bucket)
	defer held.mu.Unlock()
	now := l.now()
	if held.want.Capacity != rate {
		held.refusedUntil = time.Time{}
	}
	if held.tokens > 0 {
		held.tokens--
		return 0, nil
	}
	if wait := held.refusedUntil.Sub(now); wait > 0 {
		return wait, nil
	}
	held.want = Want{Bucket: bucket, Capacity: rate, Overdraw: rate / overdraw, Tokens: max(1, rate/share)}
	grant, err := l.store.Take(ctx, held.want)
	if err != nil {
		return 0, err
	}
	if grant.Tokens == 0 {
		wait := untilOne(held.want, grant.Left)
		held.refusedUntil = now.Add(wait)
		return wait, nil
	}
	held.tokens, held.until = grant.Tokens-1, now.Add(loanTime)
	return 0, nil
}

// unspend returns a token to each of the buckets.
func (l *Limiter) unspend(counted []bucket) {
	for _, b := range counted {
		held := l.loan(b.name)
		if held.want.Bucket != "" { // else the class has no limit, and nothing was counted
			held.tokens, held.until = held.tokens+1, l.now().Add(loanTime)
		}
		held.mu.Unlock()
	}
}

// loan returns the bucket's loan, locked.
func (l *Limiter) loan(bucket string) *loan {
	for {
		l.mu.Lock()
		held, ok := l.loans[bucket]
		if !ok {
			held = &loan{}
			l.loans[bucket] = held
		}
		l.mu.Unlock()
		held.mu.Lock()
		if !held.gone {
			return held
		}
		held.mu.Unlock() // forgotten between the two locks
	}
}

// Run returns what lies unused and forgets what is idle, until ctx ends.
func (l *Limiter) Run(ctx context.Context) {
	tick := time.NewTicker(loanTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.giveBack(ctx)
		}
	}
}

// giveBack returns the tokens of loans that ended. A failure is nothing to
// mend: the bucket fills up again by itself.
func (l *Limiter) giveBack(ctx context.Context) {
	for _, want := range l.ended(l.now()) {
		_, _ = l.store.Take(ctx, want)
	}
}

func (l *Limiter) ended(now time.Time) []Want {
	l.mu.Lock()
	defer l.mu.Unlock()
	var back []Want
	for bucket, held := range l.loans {
		if !held.mu.TryLock() {
			continue // in use this very moment
		}
		if now.After(held.until) && now.After(held.refusedUntil) {
			if held.tokens > 0 {
				want := held.want
				want.Tokens = -held.tokens
				back = append(back, want)
				held.tokens = 0
			}
			held.gone = true
			delete(l.loans, bucket)
		}
		held.mu.Unlock()
	}
	return back
}
