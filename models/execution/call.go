package execution

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// readCall reads execution and step in one trip, by hand.
var readCall = `
SELECT e.definition_id, e.definition_version, e.version_ref, e.correlation_id,
       ` + subject.ID("e.organization_key") + `, ` + subject.ID("e.document_key") + `, e.folder_id,
       e.trigger_context, e.webhook_auth, e.receiver_secret, s.node_id, s.node_name, s.iteration, s.attempt, s.retries, s.input, s.agent_version, least(s.due_at, s.timeout_at)
FROM executions e JOIN steps s ON s.workspace_id = e.workspace_id AND s.execution_id = e.id
WHERE e.workspace_id = $1 AND e.id = $2 AND s.id = $3`

// fillCall reads what a call that has begun needs, secrets opened.
func (e *Executions) fillCall(ctx context.Context, c *StepCall, workspaceID, executionID string) error {
	var ref string
	var input, trigger, auth, receiver []byte
	var ends *time.Time
	var version *int
	c.WorkspaceID, c.ExecutionID = workspaceID, executionID
	err := e.db.Pool.QueryRow(ctx, readCall, workspaceID, executionID, c.StepID).Scan(&c.DefinitionID, &c.DefinitionVersion, &ref,
		&c.CorrelationID, &c.OrganizationID, &c.DocumentID, &c.FolderID, &trigger, &auth, &receiver,
		&c.NodeID, &c.NodeName, &c.Iteration, &c.Attempt, &c.Retries, &input, &version, &ends)
	if err != nil {
		return pg.Translate(err)
	}
	c.TriggerContext, c.Input = pg.OrEmpty(trigger), pg.OrEmpty(input)
	graph, err := e.definitions.Graph(ctx, e.db.Pool, ref)
	if err != nil {
		return err
	}
	node := graph.Node(c.NodeID)
	c.Webhook, c.Agent, c.Notification, c.RequireNonEmptyOutput = node.Webhook, node.Agent, node.Notification, node.RequireNonEmptyOutput
	c.ExpiresAt = expiryOf(ends)
	switch {
	case c.Notification != nil:
		return nil // it needs no secret of the execution
	case c.Agent != nil:
		return e.contact(ctx, c, version)
	default:
		return e.openSecrets(c, auth, receiver)
	}
}

// contact reads how the agent of a call is called: by the version of its behaviour that the step has, from its first call on
// that of then.
func (e *Executions) contact(ctx context.Context, c *StepCall, version *int) (err error) {
	if c.Contact, err = e.agents.Contact(ctx, e.db.Pool, c.WorkspaceID, c.Agent.AgentID, version); err != nil || c.Contact == nil || version != nil {
		return pg.Translate(err)
	}
	_, err = e.db.Pool.Exec(ctx, `UPDATE steps SET agent_version = $4 WHERE workspace_id = $1 AND execution_id = $2 AND id = $3`,
		c.WorkspaceID, c.ExecutionID, c.StepID, c.Contact.Version)
	return pg.Translate(err)
}

// expiryOf is when the token of a step expires that ends by itself at that time, in epoch
// milliseconds, nil for never.
func expiryOf(ends *time.Time) *int64 {
	if ends == nil {
		return nil
	}
	ms := ends.Add(tokenLasts).UnixMilli()
	return &ms
}

func (e *Executions) openSecrets(c *StepCall, auth, receiver []byte) error {
	if receiver != nil {
		plain, err := e.box.Open(delivery.ReceiverSecretBinding(c.WorkspaceID, c.ExecutionID), receiver)
		if err != nil {
			return fault.Internal(err)
		}
		c.ReceiverSecret = string(plain)
	}
	if auth == nil {
		return nil
	}
	plain, err := e.box.Open(authBinding(c.WorkspaceID, c.ExecutionID), auth)
	if err != nil {
		return fault.Internal(err)
	}
	tokens := map[string]json.RawMessage{}
	if json.Unmarshal(plain, &tokens) == nil {
		_ = json.Unmarshal(tokens[c.NodeID], &c.AuthToken) // not a string: as if absent
	}
	return nil
}
