package knowledge

import (
	"context"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// ingestEvent is the data of the event that the work on a version has ended. Error
// is null unless it failed.
type ingestEvent struct {
	SourceID   string       `json:"sourceId"`
	Version    int          `json:"version"`
	Status     string       `json:"status"`
	MimeType   string       `json:"mimeType"`
	FileName   string       `json:"fileName"`
	ChunkCount int          `json:"chunkCount"`
	RuleCount  int          `json:"ruleCount"`
	Error      *ingestError `json:"error"`
}

type ingestError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// publishIngest publishes the event of a version that ended in this transaction, but
// none of a source whose scope is gone. It reads version and source in one trip, by
// hand.
func publishIngest(ctx context.Context, tx *pg.Tx, v VersionRef) error {
	event := ingestEvent{SourceID: v.SourceID, Version: v.Version, Status: "completed"}
	var organization, document, reason, message string
	err := tx.QueryRow(ctx, `
SELECT v.mime_type, v.file_name, v.chunk_count, v.rule_count, coalesce(v.failure_reason, ''), coalesce(v.failure_message, ''),
       coalesce(`+subject.ID("s.organization_key")+`, ''), coalesce(`+subject.ID("s.document_key")+`, '')
FROM source_versions v JOIN sources s ON s.workspace_id = v.workspace_id AND s.id = v.source_id
WHERE v.workspace_id = $1 AND v.source_id = $2 AND v.version = $3 AND `+VisibleSource, v.WorkspaceID, v.SourceID, v.Version).
		Scan(&event.MimeType, &event.FileName, &event.ChunkCount, &event.RuleCount, &reason, &message, &organization, &document)
	if pg.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	name := envelope.IngestCompleted
	if reason != "" {
		name, event.Status, event.Error = envelope.IngestFailed, "failed", &ingestError{reason, message}
	}
	return delivery.Publish(ctx, tx, v.WorkspaceID, delivery.Event{
		Event: name, OrganizationID: organization, DocumentID: document, Data: event,
	})
}
