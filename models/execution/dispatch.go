package execution

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// Dispatch is what a caller asks for. Receiver nil means the definition's own,
// if it has one.
type Dispatch struct {
	DefinitionID string
	// KeySpace tells who made Key; an empty Key gets one made.
	KeySpace           contract.KeySpace
	Key, CorrelationID string
	// Signature is the hash of what proved a request from outside, empty for all others: one
	// that was taken before is known by it, whatever its key.
	Signature                            string
	TriggerContext                       json.RawMessage
	OrganizationID, DocumentID, FolderID string
	Receiver                             *Receiver
	// APIKeyID is the calling key's, empty when the service itself dispatches.
	APIKeyID string
	// AgentID is the agent that runs alone, with definition.AgentRun; empty for executions of callers' definitions.
	AgentID string
}

// Receiver is where an execution's events go. Origin is the scheme, host and
// port of URL in canonical form.
type Receiver struct {
	URL, Origin, Secret string
	// EventTypes keeps only these; nil means all.
	EventTypes []string
}

// Dispatched tells which execution answers to the key.
type Dispatched struct {
	ExecutionID, CorrelationID string
	// Deduplicated marks a key that was known already.
	Deduplicated bool
}

// Dispatch accepts an execution: once for each key of a workspace and
// definition, whatever races. A known key is answered by itself, also when the
// definition is gone. Errors: NOT_FOUND, FAILED_PRECONDITION (tombstoned),
// INVALID_ARGUMENT (scope), RESOURCE_EXHAUSTED (live executions).
func (e *Executions) Dispatch(ctx context.Context, workspaceID string, d Dispatch) (Dispatched, error) {
	if d.Key == "" {
		d.Key = "auto:" + id.Token("key")
	} else if known, found, err := e.Known(ctx, workspaceID, d); err != nil || found {
		return known, err
	}
	// It is asked here, because a transaction that holds a connection must not
	// wait for a second one, and answered where its turn is.
	full, err := e.live.full(ctx, workspaceID)
	if err != nil {
		return Dispatched{}, err
	}
	done, err := e.accept(ctx, workspaceID, d, full)
	if overtaken(err) {
		known, found, again := e.Known(ctx, workspaceID, d)
		if again != nil || found {
			return known, again
		}
	}
	return done, pg.Translate(err)
}

// Known returns the execution that answers to the key of a dispatch, or to its signature, and
// whether there is one, deleted or not. It starts nothing.
func (e *Executions) Known(ctx context.Context, workspaceID string, d Dispatch) (known Dispatched, found bool, err error) {
	if d.Key != "" {
		known, found, err = e.known(ctx, byKey, workspaceID, d.DefinitionID, d.KeySpace, d.Key)
	}
	if err != nil || found || d.Signature == "" {
		return known, found, err
	}
	return e.known(ctx, bySignature, workspaceID, d.DefinitionID, d.Signature)
}

// overtaken reports whether a call may have lost to another one with the same key,
// which was accepted after the key was looked for: it took the key, or the last of the
// live executions, or was there before the definition was deleted.
func overtaken(err error) bool {
	return pg.IsUnique(err, "executions_key") || pg.IsUnique(err, "executions_signature") || fault.Is(err, fault.StatusResourceExhausted) ||
		fault.Is(err, fault.StatusFailedPrecondition) || fault.Is(err, fault.StatusNotFound)
}

// byKey and bySignature find an execution, or what stays of one that was deleted. They stand in
// the way of every dispatch that has a key, so they are by hand.
const (
	byKey = `
SELECT id, correlation_id FROM executions
WHERE workspace_id = $1 AND definition_id = $2 AND key_space = $3 AND idempotency_key = $4
UNION ALL SELECT execution_id, correlation_id FROM deleted_executions
WHERE workspace_id = $1 AND definition_id = $2 AND key_space = $3 AND idempotency_key = $4`
	bySignature = `
SELECT id, correlation_id FROM executions WHERE workspace_id = $1 AND definition_id = $2 AND signature_hash = $3
UNION ALL SELECT execution_id, correlation_id FROM deleted_executions
WHERE workspace_id = $1 AND definition_id = $2 AND signature_hash = $3`
)

func (e *Executions) known(ctx context.Context, statement string, args ...any) (Dispatched, bool, error) {
	known := Dispatched{Deduplicated: true}
	err := e.db.Pool.QueryRow(ctx, statement, args...).Scan(&known.ExecutionID, &known.CorrelationID)
	if pg.IsNoRow(err) {
		return Dispatched{}, false, nil
	}
	return known, err == nil, pg.Translate(err)
}

// pinnedVersion is the version that a dispatch fixes, and its definition's state.
type pinnedVersion struct {
	status, ref, name          string
	version                    int
	level                      string
	organizationID, documentID *string
	receiverURL                *string
	receiverSecret             []byte
	eventTypes                 []string
	// locked reports that the definition was there to be locked. If it was not, found
	// speaks of one that was made meanwhile, which anybody may delete again.
	locked, found, webhooksConfigured, mailsEnabled bool
	// agentDisabled is of the agent that runs alone; found then says that it is registered.
	agentDisabled bool
	// now is the time of Postgres.
	now time.Time
}

// lockDefinition holds off a delete until the commit, and lets updates pass.
const lockDefinition = `SELECT FROM definitions WHERE workspace_id = $1 AND definition_id = $2 FOR KEY SHARE`

// pinVersion reads the version that stands after the lock, whole. In the
// statement that locks, an update which commits meanwhile would pair the new
// definition with the version before it. The ids of the scope are those of this
// moment, after the subjects of the dispatch were found: if they are the ids of the
// dispatch, no document got another id in between.
var pinVersion = `
SELECT d.status, v.id, v.name, v.version, v.scope_level, ` + subject.ID("v.organization_key") + `,
       ` + subject.ID("v.document_key") + `, v.receiver_url, v.receiver_secret,
       v.receiver_event_types, ` + webhooksConfigured + `, ` + mailsEnabled + `, clock_timestamp()
FROM definitions d JOIN definition_versions v ON v.id = d.version_id
WHERE d.workspace_id = $1 AND d.definition_id = $2`

func (p *pinnedVersion) scan(row pgx.Row) error {
	err := row.Scan(&p.status, &p.ref, &p.name, &p.version, &p.level, &p.organizationID, &p.documentID, &p.receiverURL,
		&p.receiverSecret, &p.eventTypes, &p.webhooksConfigured, &p.mailsEnabled, &p.now)
	if pg.IsNoRow(err) {
		return nil // found stays false
	}
	p.found = err == nil
	return err
}

// accept writes the execution, its root steps, its key and its first events in
// one transaction; a worker starts its run from the committed row. Where full,
// it is refused unless something about the dispatch itself is wrong.
func (e *Executions) accept(ctx context.Context, workspaceID string, d Dispatch, full bool) (Dispatched, error) {
	var p pinnedVersion
	s := &state{workspaceID: workspaceID}
	reads := func(b *pgx.Batch) {
		if d.AgentID != "" {
			s.subjects.Queue(b, workspaceID, d.OrganizationID, d.DocumentID)
			b.Queue(pinAgent, workspaceID, d.AgentID).QueryRow(p.scanAgent)
			return
		}
		b.Queue(lockDefinition, workspaceID, d.DefinitionID).Query(func(rows pgx.Rows) error { p.locked = rows.Next(); return rows.Err() })
		s.subjects.Queue(b, workspaceID, d.OrganizationID, d.DocumentID)
		b.Queue(pinVersion, workspaceID, d.DefinitionID).QueryRow(p.scan)
	}
	err := e.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := tx.Send(ctx, reads); err != nil {
			return err
		}
		if err := p.check(d); err != nil {
			return err
		}
		if full {
			return e.live.refusal()
		}
		return e.insert(ctx, tx, s, d, &p)
	})
	if err != nil {
		return Dispatched{}, err
	}
	return Dispatched{ExecutionID: s.execution.ExecutionID, CorrelationID: s.correlationID}, nil
}

// check refuses a definition that is not there or was deleted, then a dispatch
// outside its scope.
func (p *pinnedVersion) check(d Dispatch) error {
	switch {
	case d.AgentID != "":
		return p.checkAgent(d.AgentID)
	case !p.locked || !p.found:
		return fault.NotFound("definition")
	case p.status != "active":
		return fault.FailedPrecondition("definition-tombstoned", "the definition was deleted; it starts no executions")
	}
	var issues []fault.Issue
	issues = append(issues, scopeIssue("organizationId", p.organizationID, d.OrganizationID)...)
	issues = append(issues, scopeIssue("documentId", p.documentID, d.DocumentID)...)
	if len(issues) > 0 {
		return fault.InvalidArgument(issues...)
	}
	return nil
}

func scopeIssue(field string, want *string, got string) []fault.Issue {
	switch {
	case want == nil || *want == got:
		return nil
	case got == "":
		return []fault.Issue{{Code: "required", Path: []string{field}, Message: "is required: the definition is scoped"}}
	default:
		return []fault.Issue{{Code: "conflict", Path: []string{field}, Message: "is not the one that the definition is scoped to"}}
	}
}

// insert writes the new execution with its root steps, and what that causes.
func (e *Executions) insert(ctx context.Context, tx *pg.Tx, s *state, d Dispatch, p *pinnedVersion) error {
	graph, err := e.definitions.Graph(ctx, tx, p.ref)
	if err != nil {
		return err
	}
	s.begin(d, p)
	row, err := e.sealedRow(ctx, tx, s, d, p)
	if err != nil {
		return err
	}
	w := interpreter.Dispatch(graph, &s.execution, d.DefinitionID, p.version, s.now.UnixMilli())
	change := w.Change()
	s.queueWork(tx, fromCaller, interpreter.Change{Drives: true})
	b := &pgx.Batch{}
	b.Queue(insertExecution, s.workspaceID, s.execution.ExecutionID, d.DefinitionID, p.version, p.ref, p.name, d.KeySpace, d.Key,
		s.correlationID, s.execution.Status, s.subjects.Organization, s.subjects.Document, pg.Optional(d.FolderID), row.trigger, row.auth,
		row.url, row.secret, s.eventTypes, s.destination, s.origin, s.startedAt, s.execution.Seq, s.execution.Revision, len(s.execution.Steps),
		pg.Optional(d.Signature))
	for _, step := range s.execution.Steps {
		s.insertStep(b, step)
	}
	c := &consequences{state: s, apiKeyID: d.APIKeyID}
	return c.store(ctx, tx, b, change.Events)
}

// begin fills the state of a new execution. The time is cut to milliseconds, so
// that lists are in the order that callers see.
func (s *state) begin(d Dispatch, p *pinnedVersion) {
	s.now = p.now.Truncate(time.Millisecond)
	s.startedAt, s.execution.ExecutionID = s.now, id.Execution(s.now)
	s.versionRef, s.definitionID, s.definitionName, s.definitionVersion = p.ref, d.DefinitionID, p.name, p.version
	s.organizationID, s.documentID = pg.Optional(d.OrganizationID), pg.Optional(d.DocumentID)
	s.webhooksConfigured, s.mailsEnabled = p.webhooksConfigured, p.mailsEnabled
	s.workflowID = workflowID(s.workspaceID, d.DefinitionID, string(d.KeySpace), d.Key)
	if s.correlationID = d.CorrelationID; s.correlationID == "" {
		s.correlationID = id.New(id.Correlation)
	}
}

const insertExecution = `
INSERT INTO executions (workspace_id, id, definition_id, definition_version, version_ref, definition_name, key_space, idempotency_key,
       correlation_id, status, organization_key, document_key, folder_id, trigger_context, webhook_auth, receiver_url, receiver_secret,
       receiver_event_types, receiver_destination, receiver_origin, started_at, seq, revision, step_count, signature_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)`
