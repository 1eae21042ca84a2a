package agent

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Which agents a catalog has where it has not all.
const (
	CustomOnly  = "customOnly"
	DefaultOnly = "defaultOnly"
)

// CatalogFilter narrows a catalog; empty fields do not. Built-in agents are never disabled.
type CatalogFilter struct {
	Only     string `json:"only"`
	GroupID  string `json:"groupId"`
	Disabled *bool  `json:"disabled"`
}

// Entry is an agent of a catalog: a registered one, or the built-in one of the id.
type Entry struct {
	ID         string
	Registered *View
}

// CatalogPosition is where a page of a catalog ended: behind a registered agent, or behind so many of those that follow in an
// order of their own (built-in ones, or those of a group).
type CatalogPosition struct {
	Registered *Position `json:"registered,omitempty"`
	Others     int       `json:"others,omitempty"`
}

// CatalogPage is a page of a catalog.
type CatalogPage = list.Page[Entry, CatalogPosition]

// Catalog reads a page of the agents that a workspace has: registered ones, newest first, then the built-in ones that none of
// these replaces; those of a group in its order. Errors: NOT_FOUND of a group.
func (s *Agents) Catalog(ctx context.Context, workspaceID string, f CatalogFilter, after *CatalogPosition, size int) (*CatalogPage, error) {
	if after == nil {
		after = &CatalogPosition{}
	}
	if f.GroupID != "" {
		group, err := s.Group(ctx, workspaceID, f.GroupID)
		if err != nil {
			return nil, err
		}
		return s.others(ctx, workspaceID, group.AgentIDs, f, after.Others, size)
	}
	if f.Only == DefaultOnly || after.Others > 0 {
		f.Only = DefaultOnly
		return s.others(ctx, workspaceID, builtIn, f, after.Others, size)
	}
	return s.registered(ctx, workspaceID, f, after.Registered, size)
}

// builtIn are the ids of the built-in agents, in their order.
var builtIn = slices.Sorted(maps.Keys(BuiltIn))

// registered is a page of registered agents, with built-in ones behind the last of them.
func (s *Agents) registered(ctx context.Context, workspaceID string, f CatalogFilter, after *Position, size int) (*CatalogPage, error) {
	found, err := s.List(ctx, workspaceID, f.Disabled, after, size)
	if err != nil {
		return nil, err
	}
	page := &CatalogPage{}
	for _, v := range found.Items {
		page.Items = append(page.Items, Entry{v.ID, &v})
	}
	switch room := size - len(page.Items); {
	case found.Next != nil:
		page.Next = &CatalogPosition{Registered: found.Next}
		return page, nil
	case f.Only == CustomOnly:
		return page, nil
	case room == 0: // the page behind the last registered one begins with the built-in ones
		last := found.Items[len(found.Items)-1]
		page.Next = &CatalogPosition{Registered: new(list.PositionOf(last.CreatedAt, last.ID))}
		return page, nil
	default:
		rest, err := s.others(ctx, workspaceID, builtIn, CatalogFilter{Only: DefaultOnly, Disabled: f.Disabled}, 0, room)
		if err != nil {
			return nil, err
		}
		return &CatalogPage{Items: append(page.Items, rest.Items...), Next: rest.Next}, nil
	}
}

// others is a page of agents in the order of their ids, behind so many of them.
func (s *Agents) others(ctx context.Context, workspaceID string, ids []string, f CatalogFilter, behind, size int) (*CatalogPage, error) {
	registered, err := s.byID(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	page := &CatalogPage{}
	for at, id := range ids {
		view := registered[id]
		if at < behind || !f.keeps(view) {
			continue
		}
		if len(page.Items) == size {
			page.Next = &CatalogPosition{Others: at}
			return page, nil
		}
		page.Items = append(page.Items, Entry{id, view})
	}
	return page, nil
}

// keeps reports whether a catalog has an agent, nil for a built-in one.
func (f CatalogFilter) keeps(registered *View) bool {
	if registered == nil {
		return f.Only != CustomOnly && (f.Disabled == nil || !*f.Disabled)
	}
	return f.Only != DefaultOnly && (f.Disabled == nil || *f.Disabled == registered.Disabled)
}

// byID reads registered agents by their ids.
func (s *Agents) byID(ctx context.Context, workspaceID string, ids []string) (map[string]*View, error) {
	rows, err := s.db.Pool.Query(ctx, `SELECT `+agentColumns+` FROM agents WHERE workspace_id = $1 AND agent_id = ANY ($2)`, workspaceID, ids)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found := map[string]*View{}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (View, error) {
		v, _, err := scan(row)
		found[v.ID] = &v
		return v, err
	})
	return found, pg.Translate(err)
}
