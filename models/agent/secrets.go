package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// formerValid is for how long a secret signs on after it was replaced.
	formerValid = 24 * time.Hour
	// maxFormer is how many replaced secrets sign at once, so that a header stays
	// small however often a secret is changed.
	maxFormer = 4
	// secretID begins the ids of secrets; they are never shown.
	secretID = "sec"
)

// secretBinding is where a secret is sealed, by the id of its row.
func secretBinding(workspaceID, secretRow string) secret.Binding {
	return secret.Binding{Table: "agent_secrets", Column: "secret_sealed", Row: secretRow, Workspace: workspaceID}
}

// queueSecret gives an agent its secret, in the batch that makes or changes it.
func (s *Agents) queueSecret(b *pgx.Batch, workspaceID, agentID, plain string) {
	row := id.New(secretID)
	b.Queue(`INSERT INTO agent_secrets (id, workspace_id, agent_id, secret_sealed) VALUES ($1, $2, $3, $4)`,
		row, workspaceID, agentID, s.box.Seal(secretBinding(workspaceID, row), []byte(plain)))
}

// queueExpiry ends the present secret in a day, and removes those that ended and
// the oldest ones beyond maxFormer.
func queueExpiry(b *pgx.Batch, workspaceID, agentID string) {
	b.Queue(`UPDATE agent_secrets SET expires_at = clock_timestamp() + $3::interval
WHERE workspace_id = $1 AND agent_id = $2 AND expires_at IS NULL`, workspaceID, agentID, formerValid)
	b.Queue(`DELETE FROM agent_secrets WHERE workspace_id = $1 AND agent_id = $2 AND (expires_at <= clock_timestamp() OR id = ANY(ARRAY(
	SELECT id FROM agent_secrets WHERE workspace_id = $1 AND agent_id = $2 ORDER BY created_at DESC, id DESC OFFSET $3)))`,
		workspaceID, agentID, maxFormer)
}

// Contact is how an agent is called at this moment.
type Contact struct {
	Name     string
	URL      string
	Disabled bool
	// Secrets are those that sign, the present one first.
	Secrets [][]byte
	// Version is that of the Behaviour.
	Version   int
	Behaviour Behaviour
}

// readContact reads an agent with its valid secrets in one trip.
const readContact = `
SELECT a.name, a.url, a.disabled, v.version, v.behaviour,
       array_agg(s.id ORDER BY s.created_at DESC, s.id DESC), array_agg(s.secret_sealed ORDER BY s.created_at DESC, s.id DESC)
FROM agents a JOIN agent_secrets s ON s.workspace_id = a.workspace_id AND s.agent_id = a.agent_id
	AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())
CROSS JOIN LATERAL (
    SELECT version, behaviour::text FROM agent_versions WHERE workspace_id = $1 AND agent_id = $2 AND version IN ($3, a.version)
    ORDER BY version IS NOT DISTINCT FROM $3 DESC LIMIT 1) v
WHERE a.workspace_id = $1 AND a.agent_id = $2 GROUP BY a.workspace_id, a.agent_id, v.version, v.behaviour`

// Contact reads how an agent is called now, and the version of its behaviour, nil for the current one; of an agent that was
// registered again and has no such version it is the current one. It returns nil if the agent is not registered.
func (s *Agents) Contact(ctx context.Context, tx pg.RowQueryer, workspaceID, agentID string, version *int) (*Contact, error) {
	var c Contact
	var ids []string
	var sealed [][]byte
	var behaviour []byte
	err := tx.QueryRow(ctx, readContact, workspaceID, agentID, version).Scan(&c.Name, &c.URL, &c.Disabled, &c.Version, &behaviour, &ids, &sealed)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // no agent is an answer here, and no error
	}
	if err != nil {
		return nil, err
	}
	for i, row := range ids {
		plain, err := s.box.Open(secretBinding(workspaceID, row), sealed[i])
		if err != nil {
			return nil, fault.Internal(err)
		}
		c.Secrets = append(c.Secrets, plain)
	}
	return &c, json.Unmarshal(behaviour, &c.Behaviour)
}
