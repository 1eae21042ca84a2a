package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// MaxGroups is how many groups a workspace has at most.
	MaxGroups = 50
	// MaxGroupAgents is how many agents a group has at most.
	MaxGroupAgents = 100
)

// BuiltIn are the agents of the service that need no registration, with their names.
var BuiltIn = map[string]string{
	definition.MockAgent:    "Mock",
	"spell-check":           "Spell check",
	"grammar-check":         "Grammar check",
	"broken-links":          "Broken links",
	"pii-detection":         "PII detection",
	"profanity-filter":      "Profanity filter",
	"sensitive-data":        "Sensitive data",
	"lighthouse":            "Lighthouse",
	"accessibility-checker": "Accessibility checker",
	"og-image-checker":      "OG image checker",
	"lorem-ipsum":           "Lorem ipsum",
}

// Group is a group of agents: registered and built-in ones, in the order in which they joined.
type Group struct {
	ID, Name    string
	Description *string
	AgentIDs    []string
	// Metadata is the caller's object, fixed when the group is made; empty where none was sent.
	Metadata             json.RawMessage
	CreatedAt, UpdatedAt time.Time
}

// CreateGroup makes a group of known agents. Errors: NOT_FOUND of an agent; RESOURCE_EXHAUSTED
// (group-quota) beyond MaxGroups.
func (s *Agents) CreateGroup(ctx context.Context, workspaceID string, g Group) (Group, error) {
	row := groupRow{
		ID: id.New(id.AgentGroup), WorkspaceID: workspaceID, Name: g.Name, Description: g.Description, AgentIDs: pg.Distinct(g.AgentIDs), Metadata: g.Metadata,
	}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := requireKnown(ctx, tx, workspaceID, row.AgentIDs); err != nil {
			return err
		}
		if err := admitGroup(ctx, tx, workspaceID); err != nil {
			return err
		}
		return gorm.G[groupRow](tx.Gorm()).Create(ctx, &row)
	})
	return row.view(), pg.Translate(err)
}

// admitGroup lets one new group of a workspace at a time pass, so that two cannot share the last
// room in the quota. The advisory lock has no row, and is taken by hand.
func admitGroup(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('agent groups/' || $1, 0))`, workspaceID); err != nil {
		return err
	}
	made, err := gorm.G[groupRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Count(ctx, "*")
	if err == nil && made >= MaxGroups {
		return fault.ResourceExhausted("group-quota", fmt.Sprintf("the workspace has %d groups of agents, which is the limit", MaxGroups), 0)
	}
	return err
}

// requireKnown refuses agents that are neither registered nor built in. It keeps the registered
// ones from being deleted until the transaction ends.
func requireKnown(ctx context.Context, tx *pg.Tx, workspaceID string, agentIDs []string) error {
	var registered []string
	err := tx.QueryRow(ctx, `
SELECT coalesce(array_agg(agent_id), '{}') FROM (
    SELECT agent_id FROM agents WHERE workspace_id = $1 AND agent_id = ANY ($2) ORDER BY agent_id FOR KEY SHARE) known`,
		workspaceID, agentIDs).Scan(&registered)
	if err != nil {
		return err
	}
	unknown := slices.DeleteFunc(slices.Clone(agentIDs), func(agentID string) bool { return slices.Contains(registered, agentID) || BuiltIn[agentID] != "" })
	return refuseUnknown(unknown)
}

func refuseUnknown(unknown []string) error {
	if len(unknown) == 0 {
		return nil
	}
	missing := fault.NotFoundResource("agent", unknown[0])
	missing.Details.AgentIDs = unknown
	return missing
}

// Group reads a group. Error: NOT_FOUND.
func (s *Agents) Group(ctx context.Context, workspaceID, groupID string) (Group, error) {
	row, err := findGroup(ctx, s.db.Gorm, workspaceID, groupID)
	return row.view(), pg.Translate(err)
}

func findGroup(ctx context.Context, orm *gorm.DB, workspaceID, groupID string, lock ...clause.Expression) (groupRow, error) {
	row, err := gorm.G[groupRow](orm, lock...).Scopes(pg.Tenant(workspaceID)).Where("id = ?", groupID).Take(ctx)
	if pg.IsNoRow(err) {
		return row, fault.NotFoundResource("agent group", groupID)
	}
	return row, err
}

// Groups reads all groups of a workspace, newest first.
func (s *Agents) Groups(ctx context.Context, workspaceID string) ([]Group, error) {
	rows, err := gorm.G[groupRow](s.db.Gorm).Scopes(pg.Tenant(workspaceID)).Order("created_at DESC, id DESC").Find(ctx)
	if err != nil {
		return nil, pg.Translate(err)
	}
	groups := make([]Group, len(rows))
	for i, row := range rows {
		groups[i] = row.view()
	}
	return groups, nil
}

// GroupChange is what an update of a group sends; nil leaves a field.
type GroupChange struct {
	Name, Description *string
	// ClearsDescription unsets the description.
	ClearsDescription bool
}

// UpdateGroup changes what is sent. Error: NOT_FOUND.
func (s *Agents) UpdateGroup(ctx context.Context, workspaceID, groupID string, c GroupChange) (Group, error) {
	return s.changeGroup(ctx, workspaceID, groupID, nil, func(row *groupRow) error {
		pg.SetIfSent(&row.Name, c.Name)
		if c.Description != nil || c.ClearsDescription {
			row.Description = c.Description
		}
		return nil
	})
}

// AddToGroup adds known agents behind those that are in a group; who is in it stays where it is.
// Errors: NOT_FOUND of an agent or the group; RESOURCE_EXHAUSTED (group-full) beyond MaxGroupAgents.
func (s *Agents) AddToGroup(ctx context.Context, workspaceID, groupID string, agentIDs []string) (Group, error) {
	return s.changeGroup(ctx, workspaceID, groupID, agentIDs, func(row *groupRow) error {
		row.AgentIDs = pg.Distinct(append(row.AgentIDs, agentIDs...))
		if len(row.AgentIDs) > MaxGroupAgents {
			return fault.ResourceExhausted("group-full", fmt.Sprintf("a group has at most %d agents", MaxGroupAgents), 0)
		}
		return nil
	})
}

// RemoveFromGroup takes agents out of a group, whether they are in it or not. Error: NOT_FOUND of
// the group.
func (s *Agents) RemoveFromGroup(ctx context.Context, workspaceID, groupID string, agentIDs []string) (Group, error) {
	return s.changeGroup(ctx, workspaceID, groupID, nil, func(row *groupRow) error {
		row.AgentIDs = slices.DeleteFunc(row.AgentIDs, func(agentID string) bool { return slices.Contains(agentIDs, agentID) })
		return nil
	})
}

// changeGroup changes a group under its lock, behind those of agents that have to be known.
func (s *Agents) changeGroup(ctx context.Context, workspaceID, groupID string, known []string, change func(row *groupRow) error) (Group, error) {
	var row groupRow
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
		if err := requireKnown(ctx, tx, workspaceID, known); err != nil {
			return err
		}
		if row, err = findGroup(ctx, tx.Gorm(), workspaceID, groupID, lockToChange); err != nil {
			return err
		}
		if err := change(&row); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `
UPDATE agent_groups SET name = $3, description = $4, agent_ids = $5, updated_at = clock_timestamp()
WHERE workspace_id = $1 AND id = $2 RETURNING updated_at`, workspaceID, groupID, row.Name, row.Description, []string(row.AgentIDs)).Scan(&row.UpdatedAt)
	})
	return row.view(), pg.Translate(err)
}

// DeleteGroup deletes a group, not its agents. Error: NOT_FOUND.
func (s *Agents) DeleteGroup(ctx context.Context, workspaceID, groupID string) error {
	deleted, err := gorm.G[groupRow](s.db.Gorm).Scopes(pg.Tenant(workspaceID)).Where("id = ?", groupID).Delete(ctx)
	if err == nil && deleted == 0 {
		err = fault.NotFoundResource("agent group", groupID)
	}
	return pg.Translate(err)
}
