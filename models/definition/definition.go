package definition

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// MaxActive is how many active definitions a workspace has at most.
const MaxActive = 5000

// Definitions stores workflow definitions and their versions. The row of a
// definition is locked by whoever changes it; a dispatch locks it against
// deletion only, so an update and a dispatch do not wait for each other.
type Definitions struct {
	db     *pg.DB
	box    *secret.Box
	graphs *graphCache
}

// New makes the store.
func New(db *pg.DB, box *secret.Box) *Definitions {
	return &Definitions{db: db, box: box, graphs: newGraphCache()}
}

// receiverBinding is where the secret of a version's receiver is sealed. The
// version's id is enough to open it.
func receiverBinding(workspaceID, versionID string) secret.Binding {
	return secret.Binding{Table: "definition_versions", Column: "receiver_secret", Row: versionID, Workspace: workspaceID}
}

// ScopeView is the scope of a definition as callers read it.
type ScopeView struct {
	Level          string  `json:"level"`
	OrganizationID *string `json:"organizationId"`
	DocumentID     *string `json:"documentId"`
}

// View is a version of a definition as callers read it. The raw parts
// are the caller's own text, byte for byte; what is not set is null. Times are
// epoch milliseconds.
type View struct {
	DefinitionID string          `json:"definitionId"`
	Name         string          `json:"name"`
	Description  *string         `json:"description"`
	Version      int             `json:"version"`
	Scope        ScopeView       `json:"scope"`
	Nodes        json.RawMessage `json:"nodes"`
	Edges        json.RawMessage `json:"edges"`
	Groups       json.RawMessage `json:"groups"`
	Compiled     json.RawMessage `json:"compiled"`
	Triggers     json.RawMessage `json:"triggers"`
	Tags         json.RawMessage `json:"tags"`
	Custom       json.RawMessage `json:"custom"`
	CreatedAt    int64           `json:"createdAt"`
	UpdatedAt    int64           `json:"updatedAt"`
	Status       string          `json:"status"`
}

// definitionActive is the status of every definition that can be read.
const definitionActive = "active"

// versionColumns are read by scanDefinition; v is the table of versions. The scope
// shows the id that its document has now.
var versionColumns = `v.definition_id, v.version, v.scope_level, ` + subject.ID("v.organization_key") + `, ` + subject.ID("v.document_key") + `,
       v.snapshot::text, v.compiled::text, v.defined_at, v.created_at`

// scanDefinition reads a version, and more columns behind it.
func scanDefinition(row pgx.Row, more ...any) (View, error) {
	v := View{Status: definitionActive}
	var snapshot, compiled string
	var defined, created time.Time
	err := row.Scan(append([]any{
		&v.DefinitionID, &v.Version, &v.Scope.Level, &v.Scope.OrganizationID, &v.Scope.DocumentID, &snapshot, &compiled, &defined, &created,
	}, more...)...)
	if err != nil {
		return v, err
	}
	v.CreatedAt, v.UpdatedAt, v.Compiled = defined.UnixMilli(), created.UnixMilli(), json.RawMessage(compiled)
	return v, v.fill([]byte(snapshot))
}

// fill takes the caller's own parts out of a snapshot.
func (v *View) fill(snapshot []byte) error {
	parts, err := definition.PartsOf(snapshot)
	if err != nil {
		return err
	}
	v.Nodes, v.Edges, v.Groups, v.Triggers = parts.Nodes, parts.Edges, parts.Groups, parts.Triggers
	v.Tags, v.Custom = parts.Tags, parts.Custom
	if parts.Description != nil {
		err = json.Unmarshal(parts.Description, &v.Description)
	}
	return errors.Join(err, json.Unmarshal(parts.Name, &v.Name))
}

// Locks on a definition's row. Each holds off every other change. A dispatch
// (FOR KEY SHARE) waits for one that ends the definition, and passes one that
// only adds a version.
var (
	lockToEnd    = clause.Locking{Strength: clause.LockingStrengthUpdate}
	lockToChange = clause.Locking{Strength: "NO KEY UPDATE"}
)

// lockRow locks a definition until the end of the transaction; nil if there is none.
func lockRow(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string, lock clause.Locking) (*definitionRow, error) {
	row, err := gorm.G[definitionRow](tx.Gorm(), lock).Scopes(pg.Tenant(workspaceID)).Where("definition_id = ?", definitionID).Take(ctx)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // no row is an answer here, and no error
	}
	return &row, err
}

// errNoDefinition is the answer to an id that is unknown, deleted, or another
// workspace's: always the same words.
func errNoDefinition() error { return fault.NotFound("definition") }

// Graph returns the graph of a version by the version's id. Errors: NOT_FOUND
// when the version was purged. SQL by hand, since transactions of two trips read it
// too.
func (s *Definitions) Graph(ctx context.Context, tx pg.RowQueryer, versionID string) (*definition.Graph, error) {
	if g, known := s.graphs.get(versionID); known {
		return g, nil
	}
	if agentID, alone := definition.RunAgent(versionID); alone {
		return definition.RunGraph(agentID)
	}
	var snapshot string
	err := tx.QueryRow(ctx, `SELECT snapshot::text FROM definition_versions WHERE id = $1`, versionID).Scan(&snapshot)
	if pg.IsNoRow(err) {
		return nil, fault.NotFound("version of the definition")
	}
	if err != nil {
		return nil, pg.Translate(err)
	}
	g, err := definition.GraphOf([]byte(snapshot))
	if err != nil {
		return nil, fault.Internal(err)
	}
	s.graphs.put(versionID, g, g.Weight(len(snapshot)))
	return g, nil
}
