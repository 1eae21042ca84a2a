package kit

import (
	"github.com/redline-svc/redline/tests/kit/client"
)

// ListedSource is a source in a list.
type ListedSource struct {
	ID, SourceType, FileName, MimeType, SHA256, EmbeddingStatus string
	FileSize, UploadedAt                                        int64
	Version, RuleCount, ChunkCount                              int
	LiveVersion                                                 *int
	OrganizationID, DocumentID                                  *string
	FailureReason, DedupOf                                      *string
	OriginalDownloadURL, CanonicalMdDownloadURL                 *string
	Metadata                                                    map[string]any
}

// SourcePage is a page of sources.
type SourcePage struct {
	Items      []ListedSource
	NextCursor *string
	HasMore    bool
}

// ListSourcePage returns the page of sources that data asks for.
func ListSourcePage(env *Env, data map[string]any) (page SourcePage) {
	env.T.Helper()
	env.Call(client.ListSources, data, &page)
	return page
}
