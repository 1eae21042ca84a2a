package vector

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/redline-svc/redline/internal/fault"
)

// DeleteVersion removes all objects of a version.
func (x *Index) DeleteVersion(ctx context.Context, p Partition, version string) error {
	return x.whenBack(ctx, p, func() error { return x.removeVersion(ctx, p, version) })
}

func (x *Index) removeVersion(ctx context.Context, p Partition, version string) error {
	for {
		var answer *models.BatchDeleteResponse
		err := x.unlessGone(ctx, func() (err error) {
			answer, err = x.client.Batch().ObjectsBatchDeleter().WithClassName(p.collection()).WithTenant(p.Workspace).
				WithWhere(equal(propVersion, version)).WithOutput("minimal").Do(ctx)
			return err
		})
		switch {
		case err != nil:
			return err
		case answer == nil, answer.Results == nil || answer.Results.Matches == 0:
			return nil
		case answer.Results.Failed > 0:
			return fault.Unavailable(fmt.Errorf("the index could not remove %d objects: %s", answer.Results.Failed, reasons(answer.Results)))
		case answer.Results.Matches < answer.Results.Limit:
			return nil
		}
	}
}

// reasons are why objects could not be removed.
func reasons(results *models.BatchDeleteResponseResults) string {
	var said []string
	for _, object := range results.Objects {
		if object.Errors == nil {
			continue
		}
		for _, reason := range object.Errors.Error {
			said = append(said, reason.Message)
		}
	}
	slices.Sort(said)
	return strings.Join(slices.Compact(said), "; ")
}

// Delete removes one object, if it is there.
func (x *Index) Delete(ctx context.Context, p Partition, id string) error {
	return x.whenBack(ctx, p, func() error { return x.remove(ctx, p, id) })
}

func (x *Index) remove(ctx context.Context, p Partition, id string) error {
	return x.unlessGone(ctx, func() error {
		return x.client.Data().Deleter().WithClassName(p.collection()).WithTenant(p.Workspace).WithID(id).Do(ctx)
	})
}

// DeleteAll removes objects that are there, in one call where the index finds all of them. It may
// have been killed and have kept objects without what finds them: what it does not find is removed
// one by one.
func (x *Index) DeleteAll(ctx context.Context, p Partition, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return x.whenBack(ctx, p, func() error {
		found, err := x.removeFound(ctx, p, ids)
		for _, id := range ids {
			if err == nil && !found[id] {
				err = x.remove(ctx, p, id)
			}
		}
		return err
	})
}

// removeFound removes the objects that the index finds by their ids, and returns which.
func (x *Index) removeFound(ctx context.Context, p Partition, ids []string) (found map[string]bool, err error) {
	var answer *models.BatchDeleteResponse
	err = x.unlessGone(ctx, func() (err error) {
		answer, err = x.client.Batch().ObjectsBatchDeleter().WithClassName(p.collection()).WithTenant(p.Workspace).
			WithWhere(filters.Where().WithPath([]string{"id"}).WithOperator(filters.ContainsAny).WithValueText(ids...)).WithOutput("verbose").Do(ctx)
		return err
	})
	found = map[string]bool{}
	if err != nil || answer == nil || answer.Results == nil {
		return found, err
	}
	if answer.Results.Failed > 0 {
		return found, fault.Unavailable(fmt.Errorf("the index could not remove %d objects: %s", answer.Results.Failed, reasons(answer.Results)))
	}
	for _, object := range answer.Results.Objects {
		found[object.ID.String()] = true
	}
	return found, nil
}

// DeleteWorkspace removes all that a workspace has in the collections of a
// generation.
func (x *Index) DeleteWorkspace(ctx context.Context, suffix, workspaceID string) error {
	for _, corpus := range collections {
		p := Partition{Suffix: suffix, Workspace: workspaceID, Corpus: corpus}
		err := x.unlessGone(ctx, func() error {
			return x.client.Schema().TenantsDeleter().WithClassName(p.collection()).WithTenants(workspaceID).Do(ctx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Drop removes the collections of a generation.
func (x *Index) Drop(ctx context.Context, suffix string) error {
	for _, corpus := range collections {
		name := Partition{Suffix: suffix, Corpus: corpus}.collection()
		if err := x.unlessGone(ctx, func() error { return x.client.Schema().ClassDeleter().WithClassName(name).Do(ctx) }); err != nil {
			return err
		}
		x.forget(name)
	}
	return nil
}

// unlessGone makes a call about something of which nothing may be there, which is then no
// fault. The index answers from two seconds after its start on, whether it has read its own
// collections by then or not; until it has, it says of each that there is none. So that is
// believed only of an index that says before that it is ready.
func (x *Index) unlessGone(ctx context.Context, call func() error) error {
	err := call()
	if err == nil || !absent(err) {
		return translate(err)
	}
	if err := x.ready(ctx); err != nil {
		return err
	}
	if err = call(); err == nil || absent(err) {
		return nil
	}
	return translate(err)
}
