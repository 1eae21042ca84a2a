package vector

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/weaviate/weaviate/entities/models"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/redline-svc/redline/internal/fault"
)

// ErrLost is an index that has lost what rows say it holds.
var ErrLost = errors.New("index-lost: objects of a workspace are gone; bring them back with `redline admin index check --fix`, or all with `rebuild`")

// Check reports whether the index answers and is ready.
func (x *Index) Check(ctx context.Context) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	_, err := x.health.Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	return translate(err)
}

// Version is the server's own.
func (x *Index) Version(ctx context.Context) (string, error) {
	about, err := x.client.Misc().MetaGetter().Do(ctx)
	if err != nil {
		return "", translate(err)
	}
	return about.Version, nil
}

// ready reports whether the index has read what it has.
func (x *Index) ready(ctx context.Context) error {
	ready, err := x.client.Misc().ReadyChecker().Do(ctx)
	if err == nil && !ready {
		err = errors.New("the index is not ready")
	}
	return translate(err)
}

// Wanted reports whether a place of the index is wanted: rows say that something lies there. A
// place that was never filled, that was emptied since, or that belongs to collections which
// another generation has replaced is not wanted.
type Wanted func(context.Context, Partition) (bool, error)

// Lost reports whether a place that was missed is still gone although it is wanted. Others are
// looked at no longer.
func (x *Index) Lost(ctx context.Context, wanted Wanted) error {
	for _, p := range x.suspected() {
		if err := x.LostAt(ctx, p, wanted); err != nil {
			return err
		}
	}
	return nil
}

// LostAt reports whether a place is gone although it is wanted, which Lost tells from then on.
// The index makes a place again for the first object that is written there; who asks before
// does not hide from everybody what the others were.
func (x *Index) LostAt(ctx context.Context, p Partition, wanted Wanted) error {
	there, err := x.Holds(ctx, p)
	if err != nil {
		return err
	}
	if !there {
		lost, err := wanted(ctx, p)
		if err != nil {
			return err
		}
		if lost {
			x.suspect(p)
			return fault.Unavailable(ErrLost)
		}
	}
	x.mu.Lock()
	delete(x.suspects, p)
	x.mu.Unlock()
	return nil
}

// Holds reports whether the index has a place for what a workspace has in a corpus. That it has
// none is believed only of an index that has read what it has (unlessGone). It answers in a
// millisecond or two where the collection is absent, too: of a removal the index says that
// only after 0.3 s (measured with Weaviate 1.39).
func (x *Index) Holds(ctx context.Context, p Partition) (bool, error) {
	look := func() (bool, error) {
		there, err := x.client.Schema().TenantsExists().WithClassName(p.collection()).WithTenant(p.Workspace).Do(ctx)
		return there, translate(err)
	}
	there, err := look()
	if err != nil || there {
		return there, err
	}
	if err := x.ready(ctx); err != nil {
		return false, err
	}
	return look()
}

func (x *Index) suspected() []Partition {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Collect(maps.Keys(x.suspects))
}

// suspect notes a place that the index could not search though it answers.
func (x *Index) suspect(p Partition) {
	x.mu.Lock()
	x.suspects[p] = true
	x.mu.Unlock()
}

// Listed is an object as the index lists it; the item of a judgment is its key. Words are
// those of its text, as Words gives them.
type Listed struct{ ID, Item, Version, Words string }

// List returns up to limit objects in the order of their ids, after one of them.
func (x *Index) List(ctx context.Context, p Partition, after string, limit int) ([]Listed, error) {
	getter := x.client.Data().ObjectsGetter().WithClassName(p.collection()).WithTenant(p.Workspace).WithLimit(limit).WithAfter(after)
	var found []*models.Object
	err := x.whenBack(ctx, p, func() error {
		return x.unlessGone(ctx, func() (err error) {
			found, err = getter.Do(ctx)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	list := make([]Listed, len(found))
	for i, o := range found {
		list[i].ID = o.ID.String()
		if properties, is := o.Properties.(map[string]any); is {
			list[i].Item, _ = properties[propItem].(string)
			if p.Corpus == Judgments {
				list[i].Item, _ = properties[propKey].(string)
			}
			list[i].Version, _ = properties[propVersion].(string)
			list[i].Words, _ = properties[propWords].(string)
		}
	}
	return list, nil
}
