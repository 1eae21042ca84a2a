package definition

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// Get reads the current version of an active definition. Errors: NOT_FOUND.
func (s *Definitions) Get(ctx context.Context, workspaceID, definitionID string) (*View, error) {
	return s.one(ctx, errNoDefinition, `SELECT `+versionColumns+` FROM definitions d JOIN definition_versions v ON v.id = d.version_id
WHERE d.workspace_id = $1 AND d.definition_id = $2 AND d.status = 'active'`, workspaceID, definitionID)
}

// Version reads one version of an active definition. Errors: NOT_FOUND.
func (s *Definitions) Version(ctx context.Context, workspaceID, definitionID string, version int) (*View, error) {
	missing := func() error { return fault.NotFound("definition or version") }
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

// Position is where a page of definitions ended: at the time of the last change
// and the id of its last one.
type Position = list.Position

// Page is a page of definitions, latest change first.
type Page = list.Page[View, Position]

var latestChange = list.Descending("d.updated_at", "d.definition_id")

// List reads a page of active definitions, latest change first. A page ends
// early when it becomes larger than 8 MiB; it has one definition at least.
func (s *Definitions) List(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	var found list.Found[View, Position]
	scope := subject.Filter{OrganizationID: f.OrganizationID, DocumentID: f.DocumentID, Removed: true}
	err := scope.Read(ctx, s.db, workspaceID, func(b *pgx.Batch, n subject.Narrow) {
		query, args := listQuery(workspaceID, f, n, after, size)
		b.Queue(query, args...).Query(found.Collect(func(row pgx.CollectableRow) (View, Position, error) {
			var updated time.Time
			v, err := scanDefinition(row, &updated, &found.Count)
			return v, list.PositionOf(updated, v.DefinitionID), err
		}))
	})
	if err != nil {
		return nil, err
	}
	return found.Page(), nil
}

// listQuery is by hand for its plan: sizes are summed up before any snapshot is read.
func listQuery(workspaceID string, f Filter, scope subject.Narrow, after *Position, size int) (string, []any) {
	q := pg.NewConditions(workspaceID)
	scope.Keep(q, "d.organization_key", "d.document_key")
	if f.Tag != "" {
		q.And("d.tags @> %s", []string{f.Tag})
	}
	if after != nil {
		latestChange.After(q, after.Values()...)
	}
	page := latestChange.Fit(q, latestChange.First(q, `SELECT d.definition_id, d.updated_at, d.version_id, v.size
FROM definitions d JOIN definition_versions v ON v.id = d.version_id
WHERE d.workspace_id = $1 AND d.status = 'active'`, size), "p.size", size)
	return `SELECT ` + versionColumns + `, p.updated_at, p.found FROM (` + page + `) p
JOIN definition_versions v ON v.id = p.version_id ORDER BY p.place`, q.Args
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

// VersionPage is a page of versions, latest first.
type VersionPage = list.Page[VersionView, int]

var latestVersion = list.Descending("v.version")

// Versions reads a page of the versions of an active definition, latest first,
// those below the number after; nil begins at the latest. Errors: NOT_FOUND.
func (s *Definitions) Versions(ctx context.Context, workspaceID, definitionID string, after *int, size int) (*VersionPage, error) {
	q := pg.NewConditions(workspaceID)
	q.And("v.definition_id = %s", definitionID) // $2
	if after != nil {
		latestVersion.After(q, *after)
	}
	rows, err := s.db.Pool.Query(ctx, `SELECT v.version, v.name, v.created_at, v.node_count, v.edge_count
FROM definitions d LEFT JOIN LATERAL (`+latestVersion.First(q, `SELECT * FROM definition_versions v WHERE v.workspace_id = $1`, size)+`) v ON true
WHERE d.workspace_id = $1 AND d.definition_id = $2 AND d.status = 'active' ORDER BY `+latestVersion.String(), q.Args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var found list.Found[VersionView, int]
	var version, nodes, edges *int
	var name *string
	var created *time.Time
	known := false
	_, err = pgx.ForEachRow(rows, []any{&version, &name, &created, &nodes, &edges}, func() error {
		if known = true; version != nil {
			found.Add(VersionView{*version, *name, created.UnixMilli(), *nodes, *edges}, *version)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, pg.Translate(err)
	case !known:
		return nil, errNoDefinition()
	}
	found.Cut(size)
	return found.Page(), nil
}
