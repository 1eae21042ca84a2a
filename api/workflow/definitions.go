package workflow

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
	definitions "github.com/redline-svc/redline/models/definition"
)

type definitionStore interface {
	Create(ctx context.Context, workspaceID string, d *definition.Definition) (*definitions.View, error)
	Update(ctx context.Context, workspaceID string, d *definition.Definition) (*definitions.View, error)
	Get(ctx context.Context, workspaceID, definitionID string) (*definitions.View, error)
	List(ctx context.Context, workspaceID string, f definitions.Filter, after *definitions.Position, size int) (*definitions.Page, error)
	Delete(ctx context.Context, workspaceID string, d definitions.Deletion) error
	Versions(ctx context.Context, workspaceID, definitionID string, after *int, size int) (*definitions.VersionPage, error)
	Version(ctx context.Context, workspaceID, definitionID string, version int) (*definitions.View, error)
	TriggersWithSecret(ctx context.Context, workspaceID, definitionID string) ([]string, error)
}

// agentIDs reads which agents a workspace has.
type agentIDs interface {
	IDs(ctx context.Context, workspaceID string) ([]string, error)
}

// Definitions are the operations on workflow definitions. What comes in is
// checked as a whole by package definition, which reads the raw data itself.
type Definitions struct {
	store     definitionStore
	agents    agentIDs
	addresses rpc.AddressChecker
	cursors   *cursor.Codec
}

// NewDefinitions makes the operations.
func NewDefinitions(store definitionStore, agents agentIDs, addresses rpc.AddressChecker, cursors *cursor.Codec) *Definitions {
	return &Definitions{store: store, agents: agents, addresses: addresses, cursors: cursors}
}

// WriteDefinition is the data of create, update and lint.
type WriteDefinition struct{ rpc.RawData }

// rules are those by which definitions are read.
func (d *Definitions) rules(ctx context.Context) definition.Options {
	return definition.Options{
		Receiver: func(raw string) error { return d.addresses.CheckURL(ctx, raw, guard.Receiver) },
		Step:     func(raw string) error { return d.addresses.CheckURL(ctx, raw, guard.Step) },
	}
}

// Create stores a definition as version 1.
func (d *Definitions) Create(ctx context.Context, req *WriteDefinition) (*DefinitionView, error) {
	parsed, issues := definition.Parse(req.Data, d.rules(ctx))
	if len(issues) > 0 {
		return nil, fault.InvalidArgument(issues...)
	}
	return shown(d.store.Create(ctx, rpc.CallerFrom(ctx).WorkspaceID, parsed))
}

// Update replaces a definition by its next version.
func (d *Definitions) Update(ctx context.Context, req *WriteDefinition) (*DefinitionView, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	withSecret, err := d.withSecret(ctx, workspaceID, req)
	if err != nil {
		return nil, err
	}
	rules := d.rules(ctx)
	rules.Update, rules.TriggersWithSecret = true, withSecret
	parsed, issues := definition.Parse(req.Data, rules)
	if len(issues) > 0 {
		return nil, fault.InvalidArgument(issues...)
	}
	return shown(d.store.Update(ctx, workspaceID, parsed))
}

// withSecret are the triggers whose secret an update may leave out. They are those of
// this moment: the version that the update replaces fixes them again.
func (d *Definitions) withSecret(ctx context.Context, workspaceID string, req *WriteDefinition) ([]string, error) {
	var id string
	_ = json.Unmarshal(shape.Member(req.Data, "definitionId").Value, &id) // a fault is reported when all is read
	if shape.Member(req.Data, "triggers").Value == nil || !namesSomething(id) {
		return nil, nil
	}
	return d.store.TriggersWithSecret(ctx, workspaceID, id)
}

// LintResult is what is wrong with a definition: the issues that create would give
// and, when there are none, the graph that would run.
type LintResult struct {
	Valid    bool            `json:"valid"`
	Issues   []fault.Issue   `json:"issues"`
	Warnings []fault.Issue   `json:"warnings"`
	Compiled json.RawMessage `json:"compiled" doc:"forwardEdges and loops, or null"`
}

// Lint checks a definition and stores nothing. A faulty one is a result, not an
// error.
func (d *Definitions) Lint(ctx context.Context, req *WriteDefinition) (*LintResult, error) {
	agents := sync.OnceValues(func() ([]string, error) { return d.agents.IDs(ctx, rpc.CallerFrom(ctx).WorkspaceID) })
	rules := d.rules(ctx)
	rules.KnownAgent = func(agentID string) bool {
		known, err := agents()
		return err != nil || slices.Contains(known, agentID) // without an answer nothing is said
	}
	parsed, issues := definition.Parse(req.Data, rules)
	result := &LintResult{Valid: len(issues) == 0, Issues: issues, Warnings: []fault.Issue{}}
	if !result.Valid {
		return result, nil
	}
	result.Issues, result.Warnings = []fault.Issue{}, append(result.Warnings, parsed.Warnings...)
	var err error
	result.Compiled, err = json.Marshal(parsed.Graph.Compile())
	return result, err
}

// GetDefinition names a definition. The two ids of a scope are taken and not
// used: the id of a definition is unique without them.
type GetDefinition struct {
	DefinitionID   string          `json:"definitionId" minLength:"1" maxLength:"200"`
	OrganizationID json.RawMessage `json:"organizationId,omitempty" example:"\"acme\"" doc:"ignored"`
	DocumentID     json.RawMessage `json:"documentId,omitempty" example:"\"spring\"" doc:"ignored"`
}

// Get reads the current version of a definition.
func (d *Definitions) Get(ctx context.Context, req *GetDefinition) (*DefinitionView, error) {
	return shown(d.store.Get(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.DefinitionID))
}

// ListDefinitions narrows the list; all fields are optional.
type ListDefinitions struct {
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" example:"acme" doc:"only definitions scoped to it or to a document in it"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" example:"spring" doc:"only definitions scoped to it"`
	Tag            string `json:"tag,omitempty" minLength:"1" maxLength:"200"`
	PageSize       int    `json:"pageSize,omitempty" minimum:"1" maximum:"500" doc:"default 50"`
	Cursor         string `json:"cursor,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// DefinitionList is a page of definitions, latest change first.
type DefinitionList struct {
	Items      []DefinitionView `json:"items"`
	NextCursor *string          `json:"nextCursor" doc:"null on the last page"`
	HasMore    bool             `json:"hasMore"`
}

const (
	definitionsCursor = "definitions/list"
	versionsCursor    = "definitions/versions/list"
)

// List reads a page of the active definitions.
func (d *Definitions) List(ctx context.Context, req *ListDefinitions) (*DefinitionList, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := definitions.Filter{OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, Tag: req.Tag}
	pages := pagesOf(d.cursors, workspaceID, definitionsCursor, filter)
	items, next, err := rpc.List(pages, req.Cursor, viewDefinition, func(after *definitions.Position) (*definitions.Page, error) {
		return d.store.List(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	return &DefinitionList{Items: items, NextCursor: next, HasMore: next != nil}, err
}

// AppendTo writes the page with the caller's own texts as they are.
func (l *DefinitionList) AppendTo(out []byte) ([]byte, error) {
	out = append(out, `{"items":[`...)
	for i := range l.Items {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = l.Items[i].AppendTo(out); err != nil {
			return nil, err
		}
	}
	rest, err := json.Marshal(struct {
		NextCursor *string `json:"nextCursor"`
		HasMore    bool    `json:"hasMore"`
	}{l.NextCursor, l.HasMore})
	return append(append(out, `],`...), bytes.TrimPrefix(rest, []byte("{"))...), err
}

// DeleteDefinition names the definition and says whether its versions go too.
type DeleteDefinition struct {
	DefinitionID   string `json:"definitionId" minLength:"1" maxLength:"200"`
	Purge          bool   `json:"purge,omitempty" example:"true" doc:"removes it with all versions, also when it was deleted before"`
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" example:"acme" doc:"of a definition with a scope its own, else it is not found"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" example:"spring" doc:"the same"`
}

// DeletedDefinition says what is gone.
type DeletedDefinition struct {
	Deleted      bool   `json:"deleted"`
	Purged       bool   `json:"purged"`
	DefinitionID string `json:"definitionId"`
}

// Delete ends a definition; executions of it stay readable.
func (d *Definitions) Delete(ctx context.Context, req *DeleteDefinition) (*DeletedDefinition, error) {
	err := d.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, definitions.Deletion{
		DefinitionID: req.DefinitionID, OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, Purge: req.Purge,
	})
	if err != nil {
		return nil, err
	}
	return &DeletedDefinition{true, req.Purge, req.DefinitionID}, nil
}

// ListVersions names the definition.
type ListVersions struct {
	DefinitionID string `json:"definitionId" minLength:"1" maxLength:"200"`
	PageSize     int    `json:"pageSize,omitempty" minimum:"1" maximum:"500" example:"50" doc:"default 50"`
	Cursor       string `json:"cursor,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// VersionList is a page of versions, latest first.
type VersionList = CursorPage[VersionView]

// Versions reads a page of the versions of a definition.
func (d *Definitions) Versions(ctx context.Context, req *ListVersions) (*VersionList, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	pages := pagesOf(d.cursors, workspaceID, versionsCursor, req.DefinitionID)
	return pageOf(rpc.List(pages, req.Cursor, viewVersion, func(after *int) (*definitions.VersionPage, error) {
		return d.store.Versions(ctx, workspaceID, req.DefinitionID, after, cmp.Or(req.PageSize, pageSize))
	}))
}

// GetVersion names one version of a definition.
type GetVersion struct {
	DefinitionID string `json:"definitionId" minLength:"1" maxLength:"200"`
	Version      int    `json:"version"`
}

// Version reads one version of a definition.
func (d *Definitions) Version(ctx context.Context, req *GetVersion) (*DefinitionView, error) {
	return shown(d.store.Version(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.DefinitionID, req.Version))
}
