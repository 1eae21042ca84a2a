package execution

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// tokenUse derives the key of the tokens of steps.
const tokenUse = "redline/step-callback/v1"

// callback is a token of a step, by its hash.
type callback struct {
	hash   []byte
	stepID string
}

const insertCallback = `
INSERT INTO callback_tokens (token_hash, workspace_id, execution_id, step_id) VALUES ($1, $2, $3, $4) ON CONFLICT (token_hash) DO NOTHING`

// tokenOf is the token that opens a step. It is the same in every call of the step, unless
// hash keys rotate between them: then each of both opens it.
func (e *Executions) tokenOf(workspaceID, executionID, stepID string) string {
	return base64.RawURLEncoding.EncodeToString(e.box.MAC(tokenUse, []byte(workspaceID), []byte(executionID), []byte(stepID)))
}

// addToken lets a token open the step from the commit on. Only its hash is kept.
func (c *consequences) addToken(stepID, token string) {
	c.tokens = append(c.tokens, callback{hashOf(token), stepID})
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// tokenLasts is how long a token opens its step after that one's time is over. Whoever says
// something too late, or once more, is told so until then.
const tokenLasts = 24 * time.Hour

// findCallback finds the step of a token that has not expired: none does while its step
// lives, which a pause may keep alive for any time. What a step waits for is taken whether
// or not an operator has closed or stopped its workspace.
const findCallback = `
SELECT t.workspace_id, t.execution_id, t.step_id
FROM callback_tokens t JOIN workspaces w ON w.id = t.workspace_id AND w.deleted_at IS NULL
JOIN steps s ON s.workspace_id = t.workspace_id AND s.execution_id = t.execution_id AND s.id = t.step_id
WHERE t.token_hash = $1 AND (s.status IN ('pending', 'running', 'waiting')
      OR coalesce(least(s.due_at, s.timeout_at) + $2::interval > clock_timestamp(), true))`

// Callback finds what a token opens, as a caller of its workspace. The error is UNAUTHENTICATED, also for a token that has
// expired.
func (e *Executions) Callback(ctx context.Context, token string) (workspace.Caller, error) {
	var o workspace.Caller
	err := e.db.Pool.QueryRow(ctx, findCallback, hashOf(token), tokenLasts).Scan(&o.WorkspaceID, &o.ExecutionID, &o.StepID)
	if pg.IsNoRow(err) {
		return workspace.Caller{}, fault.Unauthenticated()
	}
	return o, pg.Translate(err)
}

// agentNameOf reads the name of the agent whom a step waits for.
const agentNameOf = `
SELECT a.name FROM steps s JOIN agents a ON a.workspace_id = s.workspace_id AND a.agent_id = s.agent->>'agentId'
WHERE s.workspace_id = $1 AND s.execution_id = $2 AND s.id = $3`

// Resolve records a resolution of an agent's step and the judgment that it is. Errors:
// NOT_FOUND, FAILED_PRECONDITION.
func (e *Executions) Resolve(ctx context.Context, workspaceID, executionID, apiKeyID string, r resolution.Resolution) (interpreter.Answer, error) {
	var answer interpreter.Answer
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
		apply: func(s *state, w *interpreter.Interpreter, c *consequences) error {
			a, refused := w.Resolve(r)
			answer = a
			if refused != nil {
				return refused
			}
			if a.Recorded {
				step := s.execution.Step(r.StepID)
				c.addResolution(step, step.Agent.Answers[len(step.Agent.Answers)-1], name)
			}
			return nil
		},
	})
	return answer, err
}

// Complete records a callback of an asynchronous webhook step. It reports false when
// the step has ended or one was recorded before. Errors: UNAUTHENTICATED for a step of
// another kind.
func (e *Executions) Complete(ctx context.Context, of workspace.Caller, said interpreter.Callback) (taken bool, err error) {
	_, err = e.advance(ctx, command{
		workspaceID: of.WorkspaceID, executionID: of.ExecutionID, stepID: of.StepID, from: fromCaller,
		apply: func(_ *state, w *interpreter.Interpreter, _ *consequences) error {
			done, refused := w.Complete(of.StepID, said)
			if taken = done; refused != nil {
				return refused
			}
			return nil
		},
	})
	return taken, err
}
