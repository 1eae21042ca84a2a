package directory

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Properties are what a caller sends of an organization or a document. In a change,
// what is nil or empty and not cleared stays as it is.
type Properties struct {
	// ID is the caller's.
	ID   string
	Name *string
	// Access is the type set on the thing itself: public, organizationPrivate,
	// restricted or empty.
	Access string
	// Extra are the caller's own keys; in a change null removes one.
	Extra []shape.Pair
	// ClearName makes the id the name again, ClearAccess takes the setting away. Replace does
	// so with the name and the caller's own keys that are not sent.
	ClearName, ClearAccess, Replace bool
}

// propertyColumns are properties as arrays, one for each column, which a statement
// unnests. The name falls back to the id.
type propertyColumns struct {
	ids, names     []string
	access, extras []*string
}

// newColumns are those of things that are new: what comes as null is absent.
func newColumns(all []Properties) propertyColumns {
	var c propertyColumns
	for _, p := range all {
		c.add(p.ID, nameOr(p.Name, p.ID), pg.Optional(p.Access), mergedExtra(nil, p.Extra))
	}
	return c
}

func (c *propertyColumns) add(id, name string, access *string, extra []shape.Pair) {
	c.ids, c.names = append(c.ids, id), append(c.names, name)
	c.access, c.extras = append(c.access, access), append(c.extras, extraText(extra))
}

func nameOr(name *string, id string) string {
	if name == nil {
		return id
	}
	return *name
}

// heldThing is an organization or a document whose row is locked, as it is now.
type heldThing struct {
	key      int64
	id, name string
	access   *string
	extra    []shape.Pair
}

// merge puts a change into the thing.
func (h *heldThing) merge(p Properties) {
	if p.Replace {
		h.name, h.extra = h.id, nil
	}
	switch {
	case p.Name != nil:
		h.name = *p.Name
	case p.ClearName:
		h.name = h.id
	default:
	}
	switch {
	case p.Access != "":
		h.access = &p.Access
	case p.ClearAccess:
		h.access = nil
	default:
	}
	h.extra = mergedExtra(h.extra, p.Extra)
}

// size is about that of the thing as JSON, in bytes.
func (h *heldThing) size() int {
	size := len(h.id) + len(h.name)
	if text := extraText(h.extra); text != nil {
		size += len(*text)
	}
	return size
}

// heldThings are things by their ids.
type heldThings map[string]*heldThing

// lockThings runs a statement that locks rows in the order of their keys and returns
// key, id, name, access and extra of each.
func lockThings(ctx context.Context, tx *pg.Tx, statement string, args ...any) (heldThings, error) {
	rows, err := tx.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	held := heldThings{}
	defer rows.Close()
	for rows.Next() {
		h := &heldThing{}
		var extra []byte
		if err := rows.Scan(&h.key, &h.id, &h.name, &h.access, &extra); err != nil {
			return nil, err
		}
		h.extra = shape.MembersOf(extra)
		held[h.id] = h
	}
	return held, rows.Err()
}

// keys are those of the things, in their order, so that statements lock alike.
func (h heldThings) keys() []int64 {
	keys := make([]int64, 0, len(h))
	for _, thing := range h {
		keys = append(keys, thing.key)
	}
	slices.Sort(keys)
	return keys
}

// ids are the callers' ids of the things.
func (h heldThings) ids() []string { return slices.Sorted(maps.Keys(h)) }

// merge puts the changes into those things that are held, and returns their keys and
// columns. list is the field of the request that brought the changes. Error:
// INVALID_ARGUMENT when a thing would have more than limit bytes.
func (h heldThings) merge(changes []Properties, list string, limit int) ([]int64, propertyColumns, error) {
	var keys []int64
	var columns propertyColumns
	for i, change := range changes {
		thing := h[change.ID]
		if thing == nil {
			continue
		}
		thing.merge(change)
		if thing.size() > limit {
			return nil, columns, fault.InvalidArgument(fault.Issue{
				Code: shape.Length, Path: []string{list, strconv.Itoa(i)},
				Message: "would have more than " + strconv.Itoa(limit>>10) + " KiB as JSON",
			})
		}
		keys = append(keys, thing.key)
		columns.add(thing.id, thing.name, thing.access, thing.extra)
	}
	return keys, columns, nil
}

// inProgress returns entries of ids that a migration has taken their code.
func inProgress(entries []Entry, taken map[string]bool) []Entry {
	for i, e := range entries {
		if taken[e.ID] {
			entries[i].Code = CodeInProgress
		}
	}
	return entries
}

// EntriesOf are the entries of ids, each once: with the code where done has not the
// id. itemID returns the service's own id.
func EntriesOf[V comparable](ids []string, done map[string]V, code string, itemID func(id string) string) []Entry {
	var entries []Entry
	var none V
	for _, id := range pg.Distinct(ids) {
		e := Entry{ID: id, ItemID: itemID(id)}
		if done[id] == none {
			e.Code = code
		}
		entries = append(entries, e)
	}
	return entries
}

func idsOfProperties(all []Properties) []string {
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	return ids
}
