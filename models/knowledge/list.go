package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// ListedSource is a source in a list: its newest version, and how many chunks and rules
// the live one has.
type ListedSource struct {
	ID, Type              string
	FileName, MimeType    string
	FileSize              int64
	SHA256                []byte
	UploadedAt            time.Time
	Version               int
	LiveVersion           *int
	State                 string
	ChunkCount, RuleCount int
	OrganizationID        *string
	DocumentID            *string
	FailureReason         *string
	FailureMessage        *string
	DedupOf               *string
	Metadata              []byte
}

// ListFilter narrows a list of sources; empty fields do not. States are those that the
// newest version may have. The names of its JSON stay: positions in a list are bound to
// them.
type ListFilter struct {
	States         []string `json:"states,omitempty"`
	OrganizationID string   `json:"organizationId,omitempty"`
	DocumentID     string   `json:"documentId,omitempty"`
}

// SourcePage is a page of sources.
type SourcePage = list.Page[ListedSource, list.Position]

// SourcePosition is where a page of sources ended.
type SourcePosition = list.Position

// newestSources is the order of the list. Neither column of a source ever changes.
var newestSources = list.Descending("s.created_at", "s.id")

var listSources = `
SELECT s.id, s.source_type, v.file_name, v.mime_type, v.file_size, v.sha256, s.created_at, v.version, s.live, v.state,
       coalesce(l.chunk_count, 0), coalesce(l.rule_count, 0), ` + subject.ID("s.organization_key") + `, ` + subject.ID("s.document_key") + `,
       v.failure_reason, v.failure_message, ` + dedupOf + `, v.metadata
FROM sources s JOIN source_versions v ON v.workspace_id = s.workspace_id AND v.source_id = s.id AND v.version = s.newest
     LEFT JOIN source_versions l ON l.workspace_id = s.workspace_id AND l.source_id = s.id AND l.version = s.live
WHERE s.workspace_id = $1 AND ` + VisibleSource

// List reads a page of sources, those first that were brought in last.
func (k *Knowledge) List(ctx context.Context, workspaceID string, f ListFilter, after *SourcePosition, size int) (*SourcePage, error) {
	var found list.Found[ListedSource, list.Position]
	about := subject.Filter{OrganizationID: f.OrganizationID, DocumentID: f.DocumentID}
	err := about.Read(ctx, k.db, workspaceID, func(b *pgx.Batch, n subject.Narrow) {
		q := pg.NewConditions(workspaceID)
		n.Keep(q, "s.organization_key", "s.document_key")
		if len(f.States) > 0 {
			q.And("v.state = ANY (%s)", f.States)
		}
		if after != nil {
			newestSources.After(q, after.Values()...)
		}
		b.Queue(newestSources.First(q, listSources, size), q.Args...).Query(found.Collect(scanSource))
	})
	if err != nil {
		return nil, err
	}
	found.Cut(size)
	return found.Page(), nil
}

func scanSource(row pgx.CollectableRow) (ListedSource, list.Position, error) {
	var s ListedSource
	err := row.Scan(&s.ID, &s.Type, &s.FileName, &s.MimeType, &s.FileSize, &s.SHA256, &s.UploadedAt, &s.Version, &s.LiveVersion, &s.State,
		&s.ChunkCount, &s.RuleCount, &s.OrganizationID, &s.DocumentID, &s.FailureReason, &s.FailureMessage, &s.DedupOf, &s.Metadata)
	return s, list.PositionOf(s.UploadedAt, s.ID), err
}
