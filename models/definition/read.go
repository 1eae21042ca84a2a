package definition

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Get reads the current version of an active definition. Errors: NOT_FOUND.
func (s *Definitions) Get(ctx context.Context, workspaceID, definitionID string) (*View, error) {
	return s.one(ctx, errNoDefinition, `SELECT `+versionColumns+` FROM definitions d JOIN definition_versions v ON v.id = d.version_id
WHERE d.workspace_id = $1 AND d.definition_id = $2 AND d.status = 'active'`, workspaceID, definitionID)
}

// Version reads one version of an active definition. Errors: NOT_FOUND.
func (s *Definitions) Version(ctx context.Context, workspaceID, definitionID string, version int) (*View, error) {
	missing := func() error { return fault.Missing("definition or version") }
	return s.one(ctx, missing, `SELECT `+versionColumns+` FROM definitions d
JOIN definition_versions v ON v.workspace_id = d.workspace_id AND v.definition_id = d.definition_id AND v.version = $3::bigint
WHERE d.workspace_id = $1 AND d.definition_id = $2 AND d.status = 'active'`, workspaceID, definitionID, version)
}

// one reads one view, or gives the error of a missing one.
func (s *Definitions) one(ctx context.Context, missing func() error, query string, args ...any) (*View, error) {
	v, err := scanDefinition(s.db.Pool.QueryRow(ctx, query, args...))
	switch {
	case pg.IsNoRow(err):
		return nil, missing()
	case err != nil:
		return nil, pg.Translate(err)
	}
	return &v, nil
}

// Filter narrows a list; empty fields do not.
type Filter struct {
	OrganizationID string `json:"organizationId"`
	DocumentID     string `json:"documentId"`
	Tag            string `json:"tag"`
}

// Position is where a page of definitions ended: microseconds since
// the epoch, and the id among those of one instant.
type Position struct {
	At int64  `json:"at"`
	ID string `json:"id"`
}

// Page is one page, latest change first, and where the next one
// begins; nil on the last page.
type Page struct {
	Items []View
	Next  *Position
}

// List reads a page of active definitions, latest change first. A page ends
// early when it becomes larger than 8 MiB; it has one definition at least.
func (s *Definitions) List(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	q := pg.NewConditions(workspaceID)
	q.Equal("d.organization_id", f.OrganizationID)
	q.Equal("d.document_id", f.DocumentID)
	if f.Tag != "" {
		q.And("d.tags @> %s", []string{f.Tag})
	}
	if after != nil {
		q.And("(d.updated_at, d.definition_id) < (%s, %s)", time.UnixMicro(after.At), after.ID)
	}
	// SQL by hand for its plan: sizes are summed up before any snapshot is read.
	query := `SELECT ` + versionColumns + `, p.at, p.found FROM (
    SELECT version_id, (extract(epoch FROM updated_at) * 1000000)::bigint AS at, count(*) OVER () AS found,
           row_number() OVER newest AS place, sum(size) OVER newest AS total
    FROM (SELECT d.*, v.size FROM definitions d JOIN definition_versions v ON v.id = d.version_id
          WHERE d.workspace_id = $1 AND d.status = 'active'` + q.Text() + `
          ORDER BY d.updated_at DESC, d.definition_id DESC LIMIT ` + q.Value(size+1) + `) d
    WINDOW newest AS (ORDER BY updated_at DESC, definition_id DESC)) p
JOIN definition_versions v ON v.id = p.version_id
WHERE p.place <= ` + q.Value(size) + ` AND (p.total <= ` + q.Value(pg.AnswerLimit) + ` OR p.place = 1) ORDER BY p.place`
	rows, err := s.db.Pool.Query(ctx, query, q.Args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	page, at, found := &Page{}, int64(0), 0
	page.Items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (View, error) {
		return scanDefinition(row, &at, &found)
	})
	if err != nil {
		return nil, pg.Translate(err)
	}
	if n := len(page.Items); n < found {
		page.Next = &Position{At: at, ID: page.Items[n-1].DefinitionID}
	}
	return page, nil
}

// VersionView is a line of the list of versions. CreatedAt is epoch
// milliseconds.
type VersionView struct {
	Version   int    `json:"version"`
	Name      string `json:"name"`
	CreatedAt int64  `json:"createdAt"`
	NodeCount int    `json:"nodeCount"`
	EdgeCount int    `json:"edgeCount"`
}

// VersionPage is one page of versions, latest first. More tells that there are
// older ones.
type VersionPage struct {
	Items []VersionView
	More  bool
}

// Versions reads a page of the versions of an active definition, latest first,
// those below the number before; zero begins at the latest. Errors: NOT_FOUND.
func (s *Definitions) Versions(ctx context.Context, workspaceID, definitionID string, before, size int) (*VersionPage, error) {
	rows, err := s.db.Pool.Query(ctx, `SELECT v.version, v.name, v.created_at, v.node_count, v.edge_count
FROM definitions d LEFT JOIN LATERAL (SELECT * FROM definition_versions v
    WHERE v.workspace_id = $1 AND v.definition_id = $2 AND ($3 = 0 OR v.version < $3) ORDER BY v.version DESC LIMIT $4) v ON true
WHERE d.workspace_id = $1 AND d.definition_id = $2 AND d.status = 'active' ORDER BY v.version DESC`,
		workspaceID, definitionID, before, size+1)
	if err != nil {
		return nil, pg.Translate(err)
	}
	known, page := false, &VersionPage{Items: []VersionView{}}
	var version, nodes, edges *int
	var name *string
	var created *time.Time
	_, err = pgx.ForEachRow(rows, []any{&version, &name, &created, &nodes, &edges}, func() error {
		if known = true; version != nil {
			page.Items = append(page.Items, VersionView{*version, *name, created.UnixMilli(), *nodes, *edges})
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, pg.Translate(err)
	case !known:
		return nil, errNoDefinition()
	case len(page.Items) > size:
		page.Items, page.More = page.Items[:size], true
	}
	return page, nil
}
