package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

const (
	// MaxVersions is how many versions of its behaviour an agent has at most.
	MaxVersions = 1000
	// maxBehaviour is how large one is, in bytes of JSON.
	maxBehaviour = 64 << 10
)

// Behaviour are the fields of an agent's behaviour by their names, each as it was sent.
type Behaviour map[string]json.RawMessage

// check refuses one that is too large.
func (b Behaviour) check() error {
	if size := len(b.encoded()); size > maxBehaviour {
		return fault.InvalidArgument(fault.Issue{Code: shape.Length, Message: fmt.Sprintf("the behaviour has %d bytes of JSON, more than %d", size, maxBehaviour)})
	}
	return nil
}

// encoded is its JSON: an empty object where it has no fields.
func (b Behaviour) encoded() string {
	if len(b) == 0 {
		return "{}"
	}
	text, _ := json.Marshal(b) // values that were read as JSON
	return string(text)
}

// after is the behaviour with the fields that a change sends; null clears one.
func (b Behaviour) after(change Behaviour) Behaviour {
	merged := Behaviour{}
	for _, fields := range []Behaviour{b, change} {
		for name, value := range fields {
			if merged[name] = value; string(value) == "null" {
				delete(merged, name)
			}
		}
	}
	return merged
}

func queueVersion(b *pgx.Batch, workspaceID, agentID string, number int, of Behaviour) {
	b.Queue(`INSERT INTO agent_versions (workspace_id, agent_id, version, behaviour) VALUES ($1, $2, $3, $4)`, workspaceID, agentID, number, of.encoded())
}

// Version is a version of an agent's behaviour.
type Version struct {
	Number    int
	CreatedAt time.Time
	Behaviour Behaviour
}

// line is where an agent stands among its versions.
type line struct {
	current, newest int
	behaviour       Behaviour
}

// lockLine reads it under the lock of the agent. Errors: NOT_FOUND.
func lockLine(ctx context.Context, tx *pg.Tx, workspaceID, agentID string) (l line, err error) {
	if _, err = find(ctx, tx.Gorm(), workspaceID, agentID, lockToChange); err != nil {
		return l, err
	}
	var behaviour []byte
	err = tx.QueryRow(ctx, `
SELECT a.version, v.behaviour, (SELECT max(version) FROM agent_versions WHERE workspace_id = $1 AND agent_id = $2)
FROM agents a JOIN agent_versions v USING (workspace_id, agent_id, version) WHERE workspace_id = $1 AND agent_id = $2`, workspaceID, agentID).
		Scan(&l.current, &behaviour, &l.newest)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(behaviour, &l.behaviour)
}

const pointAt = `UPDATE agents SET version = $3, updated_at = clock_timestamp() WHERE workspace_id = $1 AND agent_id = $2`

// AddVersion changes fields of the behaviour, which makes the next version, and returns its number. Errors: NOT_FOUND;
// INVALID_ARGUMENT where the whole is too large; RESOURCE_EXHAUSTED (agent-version-quota) beyond MaxVersions.
func (s *Agents) AddVersion(ctx context.Context, workspaceID string, caller workspace.Caller, agentID string, change Behaviour) (number int, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		l, err := lockLine(ctx, tx, workspaceID, agentID)
		if err != nil {
			return err
		}
		merged := l.behaviour.after(change)
		if err := merged.check(); err != nil {
			return err
		}
		if number = l.newest + 1; number > MaxVersions {
			return fault.ResourceExhausted("agent-version-quota", fmt.Sprintf("the agent has %d versions, which is the limit", MaxVersions), 0)
		}
		b := &pgx.Batch{}
		queueVersion(b, workspaceID, agentID, number, merged)
		b.Queue(pointAt, workspaceID, agentID, number)
		caller.Audit(agentID, "behaviour").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return number, pg.Translate(err)
}

// RestoreVersion goes back to a version, or with 0 to the one before the current, and returns its number. Errors: NOT_FOUND;
// FAILED_PRECONDITION (first-version) where there is none before.
func (s *Agents) RestoreVersion(ctx context.Context, workspaceID string, caller workspace.Caller, agentID string, number int) (restored int, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		l, err := lockLine(ctx, tx, workspaceID, agentID)
		if err != nil {
			return err
		}
		if restored = number; number == 0 {
			restored = l.current - 1
		}
		switch {
		case restored == 0:
			return fault.FailedPrecondition("first-version", "the agent goes by its first version")
		case restored > l.newest:
			return fault.NotFound("version of the agent")
		}
		b := &pgx.Batch{}
		b.Queue(pointAt, workspaceID, agentID, restored)
		caller.Audit(agentID, "behaviour").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return restored, pg.Translate(err)
}

// VersionPage is a page of versions, newest first.
type VersionPage = list.Page[Version, int]

var newestVersion = list.Descending("version")

// Versions reads a page of the versions of an agent, newest first, and the number of the current one. A page ends early when it
// becomes larger than 8 MiB. Errors: NOT_FOUND.
func (s *Agents) Versions(ctx context.Context, workspaceID, agentID string, after *int, size int) (page *VersionPage, current int, err error) {
	q := pg.NewConditions(workspaceID)
	q.And("agent_id = %s", agentID)
	if after != nil {
		newestVersion.After(q, *after)
	}
	var found list.Found[Version, int]
	err = s.db.ReadBatch(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT version FROM agents WHERE workspace_id = $1 AND agent_id = $2`, workspaceID, agentID).QueryRow(func(row pgx.Row) error { return row.Scan(&current) })
		b.Queue(newestVersion.First(q, `SELECT version, created_at, behaviour FROM agent_versions WHERE workspace_id = $1`, size), q.Args...).
			Query(found.Collect(scanVersion))
	})
	if pg.IsNoRow(err) {
		return nil, 0, fault.NotFound("agent")
	}
	if err != nil {
		return nil, 0, pg.Translate(err)
	}
	found.Cut(size)
	return found.Page(), current, nil
}

func scanVersion(row pgx.CollectableRow) (v Version, number int, err error) {
	var behaviour []byte
	if err = row.Scan(&v.Number, &v.CreatedAt, &behaviour); err == nil {
		err = json.Unmarshal(behaviour, &v.Behaviour)
	}
	return v, v.Number, err
}
