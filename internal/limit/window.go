package limit

import (
	"context"
	"errors"
	"time"

	"github.com/redline-svc/redline/internal/fault"
)

// hour is the length of the sliding window.
const hour = time.Hour

// giveBackTime is how long a store may take to forget a use: an answer waits for it.
const giveBackTime = 2 * time.Second

// Use is one counted use of a sliding hour: of a client address, and of its site.
type Use struct {
	store Store
	ids   []int64
}

// Enter counts one use of class in the sliding hour of a client address. The
// error is RESOURCE_EXHAUSTED with the reason ip-limit and the time until the
// oldest use is an hour old.
func (l *Limiter) Enter(ctx context.Context, class Class, ip string) (Use, error) {
	most := l.rates[class]
	if most == 0 {
		return Use{}, nil
	}
	use := Use{store: l.store}
	for _, b := range buckets(class, Address(ip), "", most) {
		id, wait, err := l.store.Enter(ctx, b.name, hour, b.rate)
		if err == nil && wait == 0 {
			use.ids = append(use.ids, id)
			continue
		}
		err = errors.Join(err, use.GiveBack(ctx))
		if err == nil {
			l.onRefused(class)
			err = fault.ResourceExhausted("ip-limit", "too many from this address in the last hour", wait)
		}
		return Use{}, err
	}
	return use, nil
}

// GiveBack takes the use back, because the fault was ours. It works also when
// the caller is gone; a store that says nothing is not waited for.
func (u Use) GiveBack(ctx context.Context) error {
	if u.store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTime)
	defer cancel()
	var err error
	for _, id := range u.ids {
		err = errors.Join(err, u.store.Leave(ctx, id))
	}
	return err
}
