package execution

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Executions is the store of executions, their steps and their events. All
// that an execution does goes through advance, under the lock of its row.
type Executions struct {
	db          *pg.DB
	box         *secret.Box
	definitions graphs
	agents      *agent.Agents
	locks       *pg.KeyedMutex
	live        *liveLimit
	// slots is how many calls of steps a workspace may have under way.
	slots int
}

// graphs returns the compiled graph of a pinned version; Definitions keeps them in
// memory, since a version never changes.
type graphs interface {
	// tx is what it reads by: a transaction that holds a connection must not
	// wait for a second one, or many at once would wait for each other for ever.
	Graph(ctx context.Context, tx pg.RowQueryer, versionRef string) (*definition.Graph, error)
}

// Options are the settings of the store.
type Options struct {
	// StepCalls is how many calls of steps a workspace may have under way.
	StepCalls int
	// Live is how many executions of a workspace may be pending or running; 0 is no
	// limit. It may be passed by what is accepted within a second.
	Live int
}

// New makes the store; definitions gives the graphs that the interpreter runs.
func New(db *pg.DB, box *secret.Box, definitions graphs, o Options) *Executions {
	return &Executions{
		db: db, box: box, definitions: definitions, agents: agent.New(db, box),
		locks: pg.NewKeyedMutex(), live: newLiveLimit(db, o.Live), slots: o.StepCalls,
	}
}

// authBinding is where the tokens of an execution's webhook nodes are sealed.
func authBinding(workspaceID, executionID string) secret.Binding {
	return secret.Binding{Table: "executions", Column: "webhook_auth", Row: executionID, Workspace: workspaceID}
}

// StepCall is all that an activity needs to make the call of a step. Number is
// counted from 0; BegunAt is when it began, by the clock of Postgres, and LockedFor
// how long from then on no other activity begins the same call.
type StepCall struct {
	WorkspaceID, ExecutionID             string
	DefinitionID                         string
	DefinitionVersion                    int
	StepID, NodeID                       string
	Iteration, Attempt, Number           int
	CorrelationID                        string
	OrganizationID, DocumentID, FolderID *string
	TriggerContext, Input                json.RawMessage
	// NodeName is the name of the node, or its id; Retries counts recorded failures.
	NodeName string
	Retries  int
	Webhook  *definition.Webhook
	// Notification is the work of a notification's step.
	Notification *definition.Notification
	// Agent is the work of an agent's step, Contact how the agent is called now: nil
	// where it is not registered.
	Agent                 *definition.Agent
	Contact               *agent.Contact
	RequireNonEmptyOutput bool
	// CallbackToken opens the step; empty where nobody answers later. ExpiresAt is when it
	// ceases to, in epoch milliseconds, nil for never; while the step lives it is open.
	CallbackToken string
	ExpiresAt     *int64
	// ReceiverSecret signs; AuthToken is the value of the node's own header.
	// Both are empty where there is none.
	ReceiverSecret, AuthToken string
	BegunAt                   time.Time
	LockedFor                 time.Duration
}

func workflowID(workspaceID, definitionID, space, key string) string {
	return contract.ExecutionWorkflowID(workspaceID, definitionID, contract.KeySpace(space), key)
}
