package models

import (
	"context"

	"github.com/redline-svc/redline/internal/envelope"
)

// toldIngest is the end of the work on a version as endpoints are told of it.
// Error is null unless it failed.
type toldIngest struct {
	SourceID   string           `json:"sourceId"`
	Version    int              `json:"version"`
	Status     string           `json:"status"`
	MimeType   string           `json:"mimeType"`
	FileName   string           `json:"fileName"`
	ChunkCount int              `json:"chunkCount"`
	RuleCount  int              `json:"ruleCount"`
	Error      *toldIngestError `json:"error"`
}

type toldIngestError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// tellIngest raises the event of a version that ended in this transaction.
func tellIngest(ctx context.Context, tx *Tx, v OwedVersion) error {
	told := toldIngest{SourceID: v.SourceID, Version: v.Version, Status: "completed"}
	var organization, document, reason, message string
	err := tx.QueryRow(ctx, `
SELECT v.mime_type, v.file_name, v.chunk_count, v.rule_count, coalesce(v.failure_reason, ''), coalesce(v.failure_message, ''),
       coalesce(s.organization_id, ''), coalesce(s.document_id, '')
FROM source_versions v JOIN sources s ON s.workspace_id = v.workspace_id AND s.id = v.source_id
WHERE v.workspace_id = $1 AND v.source_id = $2 AND v.version = $3`, v.WorkspaceID, v.SourceID, v.Version).
		Scan(&told.MimeType, &told.FileName, &told.ChunkCount, &told.RuleCount, &reason, &message, &organization, &document)
	if err != nil {
		return err
	}
	event := envelope.IngestCompleted
	if reason != "" {
		event, told.Status, told.Error = envelope.IngestFailed, "failed", &toldIngestError{reason, message}
	}
	return raise(ctx, tx, v.WorkspaceID, occasion{
		Event: event, OrganizationID: organization, DocumentID: document, Data: told,
	})
}
