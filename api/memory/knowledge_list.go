package memory

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
)

const (
	sourcesCursor = "knowledge/list"
	// newestSources is how many sources are listed where no page is asked for, and how
	// many a page has that names no size.
	newestSources = 100
)

// ListSources narrows the list; all fields are optional. With pageSize or cursor the
// answer is a page.
type ListSources struct {
	Status         string  `json:"status,omitempty" enum:"processing,completed,failed"`
	OrganizationID string  `json:"organizationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" doc:"includes the sources of its documents"`
	DocumentID     string  `json:"documentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"spring" doc:"needs organizationId"`
	PageSize       int     `json:"pageSize,omitempty" minimum:"1" maximum:"100" doc:"default 100"`
	Cursor         *string `json:"cursor,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// Validate wants the organization of a document.
func (r *ListSources) Validate() []fault.Issue { return scopeIssues(r.OrganizationID, r.DocumentID) }

// statesOf are the states of a newest version that callers know as one status.
var statesOf = map[string][]string{"processing": {"accepted", "staging"}, "completed": {"live"}, "failed": {"failed"}}

// filter is what the sources must have.
func (r *ListSources) filter() knowledge.ListFilter {
	return knowledge.ListFilter{States: statesOf[r.Status], OrganizationID: r.OrganizationID, DocumentID: r.DocumentID}
}

// SourceView is a source. File and status are those of its newest version, the counts
// those of the live one. The addresses are there when it is completed, empty where none
// can be made.
type SourceView struct {
	ID              string `json:"id"`
	SourceType      string `json:"sourceType" enum:"inline,upload"`
	FileName        string `json:"fileName"`
	MimeType        string `json:"mimeType"`
	FileSize        int64  `json:"fileSize" doc:"bytes"`
	SHA256          string `json:"sha256" doc:"of the file's bytes, in hexadecimal digits"`
	UploadedAt      int64  `json:"uploadedAt" doc:"epoch ms"`
	Version         int    `json:"version"`
	LiveVersion     *int   `json:"liveVersion"`
	EmbeddingStatus string `json:"embeddingStatus" enum:"processing,completed,failed"`
	RuleCount       int    `json:"ruleCount"`
	ChunkCount      int    `json:"chunkCount"`

	OrganizationID *string `json:"organizationId"`
	DocumentID     *string `json:"documentId"`

	FailureReason          *string         `json:"failureReason,omitempty"`
	FailureMessage         *string         `json:"failureMessage,omitempty"`
	DedupOf                *string         `json:"dedupOf,omitempty"`
	Metadata               json.RawMessage `json:"metadata,omitempty"`
	OriginalDownloadURL    *string         `json:"originalDownloadUrl,omitempty"`
	CanonicalMDDownloadURL *string         `json:"canonicalMdDownloadUrl,omitempty"`
}

// SourceList is an array of the newest sources, or a page where one is asked for.
type SourceList = rpc.Listing[SourceView]

// List lists sources, those first that were brought in last.
func (k *Knowledge) List(ctx context.Context, req *ListSources) (*SourceList, error) {
	workspaceID, filter := rpc.CallerFrom(ctx).WorkspaceID, req.filter()
	pages := rpc.Pages{Codec: k.Cursors, Field: "cursor", WorkspaceID: workspaceID, List: sourcesCursor, Filters: filter}
	view := func(s knowledge.ListedSource) SourceView { return k.viewSource(workspaceID, s) }
	items, next, err := rpc.List(pages, rpc.TextOf(req.Cursor), view, func(after *knowledge.SourcePosition) (*knowledge.SourcePage, error) {
		return k.Store.List(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, newestSources))
	})
	return &SourceList{Items: items, Paged: req.PageSize > 0 || req.Cursor != nil, Next: next}, err
}

func (k *Knowledge) viewSource(workspaceID string, s knowledge.ListedSource) SourceView {
	view := SourceView{
		ID: s.ID, SourceType: s.Type, FileName: s.FileName, MimeType: s.MimeType, FileSize: s.FileSize, SHA256: hex.EncodeToString(s.SHA256),
		UploadedAt: s.UploadedAt.UnixMilli(), Version: s.Version, LiveVersion: s.LiveVersion, EmbeddingStatus: "processing",
		RuleCount: s.RuleCount, ChunkCount: s.ChunkCount, OrganizationID: s.OrganizationID, DocumentID: s.DocumentID, DedupOf: s.DedupOf,
	}
	switch s.State {
	case "live":
		v := knowledge.VersionRef{WorkspaceID: workspaceID, SourceID: s.ID, Version: s.Version}
		original, canonical := k.downloadURL(v, fileOriginal), k.downloadURL(v, fileCanonical)
		view.EmbeddingStatus, view.Metadata = "completed", s.Metadata
		view.OriginalDownloadURL, view.CanonicalMDDownloadURL = &original, &canonical
	case "failed":
		view.EmbeddingStatus, view.FailureReason, view.FailureMessage = "failed", s.FailureReason, s.FailureMessage
	}
	return view
}

// The documented results of knowledge/list.
const (
	ExampleSources = `[{"id":"src_01kdvm9w00abcdefghjkmnpqrs","sourceType":"upload","fileName":"handbook.pdf","mimeType":"application/pdf",` +
		`"fileSize":48213,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","uploadedAt":1767225600000,"version":1,` +
		`"liveVersion":1,"embeddingStatus":"completed","ruleCount":3,"chunkCount":12,"organizationId":"acme","documentId":null,"metadata":{"pages":4},` +
		`"originalDownloadUrl":"https://api.example.com/v2/memory/files/e30.AAAA","canonicalMdDownloadUrl":"https://api.example.com/v2/memory/files/e30.BBBB"}]`
	ExampleSourcePage = `{"items":` + ExampleSources + `,"nextCursor":null,"hasMore":false}`
)
