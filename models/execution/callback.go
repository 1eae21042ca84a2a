package execution

import (
	"context"
	"crypto/sha256"
	"encoding/base64"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/walk"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// tokenSize is how many random bytes a token of a step has.
const tokenSize = 32

// callback is a new token of a step, by its hash.
type callback struct {
	hash   []byte
	stepID string
}

const insertCallback = `INSERT INTO callback_tokens (token_hash, workspace_id, execution_id, step_id) VALUES ($1, $2, $3, $4)`

// addToken makes a token that opens the step, where whoever is called may answer later;
// else it is empty. Only its hash is kept.
func (c *consequences) addToken(stepID string) string {
	if c.state.step(stepID).NodeType != string(definition.AgentNode) {
		return ""
	}
	token := base64.RawURLEncoding.EncodeToString(id.Random(tokenSize))
	c.tokens = append(c.tokens, callback{hashOf(token), stepID})
	return token
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Callback finds what a token opens, as a caller of its workspace. Errors: UNAUTHENTICATED; PERMISSION_DENIED where an
// operator has suspended the workspace.
func (e *Executions) Callback(ctx context.Context, token string) (workspace.Caller, error) {
	var o workspace.Caller
	var suspended bool
	err := e.db.Pool.QueryRow(ctx, `
SELECT t.workspace_id, t.execution_id, t.step_id, w.suspended_at IS NOT NULL
FROM callback_tokens t JOIN workspaces w ON w.id = t.workspace_id WHERE t.token_hash = $1`, hashOf(token)).
		Scan(&o.WorkspaceID, &o.ExecutionID, &o.StepID, &suspended)
	switch {
	case pg.IsNoRow(err):
		return workspace.Caller{}, fault.NoCredentials()
	case err != nil:
		return workspace.Caller{}, pg.Translate(err)
	case suspended:
		return workspace.Caller{}, fault.Denied("", "the workspace is suspended")
	}
	return o, nil
}

// agentNameOf reads the name of the agent whom a step waits for.
const agentNameOf = `
SELECT a.name FROM steps s JOIN agents a ON a.workspace_id = s.workspace_id AND a.agent_id = s.agent->>'agentId'
WHERE s.workspace_id = $1 AND s.execution_id = $2 AND s.id = $3`

// Resolve records a resolution of an agent's step and the judgment that it is. Errors:
// NOT_FOUND, FAILED_PRECONDITION.
func (e *Executions) Resolve(ctx context.Context, workspaceID, executionID, apiKeyID string, r walk.Resolution) (walk.Answer, error) {
	var answer walk.Answer
	var name string
	_, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, apiKeyID: apiKeyID, stepID: r.StepID, from: fromCaller,
		reads: func(b *pgx.Batch) {
			b.Queue(agentNameOf, workspaceID, executionID, r.StepID).QueryRow(func(row pgx.Row) error {
				if err := row.Scan(&name); !pg.IsNoRow(err) {
					return err
				}
				return nil
			})
		},
		apply: func(s *state, w *walk.Walk, c *consequences) error {
			a, refused := w.Resolve(r)
			answer = a
			if refused != nil {
				return refused
			}
			if a.Recorded {
				step := s.step(r.StepID)
				c.addResolution(step, step.Agent.Answers[len(step.Agent.Answers)-1], name)
			}
			return nil
		},
	})
	return answer, err
}
