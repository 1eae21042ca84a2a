package kit

import (
	"github.com/stretchr/testify/require"

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

// NewestSources lists sources without asking for a page; filters narrow them.
func NewestSources(env *Env, filters map[string]any) (sources []ListedSource) {
	env.T.Helper()
	env.Call(client.ListSources, filters, &sources)
	return sources
}

// SourceIDs returns the ids of sources in their order.
func SourceIDs(sources []ListedSource) (ids []string) {
	for _, source := range sources {
		ids = append(ids, source.ID)
	}
	return ids
}

// RemovedSource is what the deletion of a source answers.
type RemovedSource struct {
	Status, SourceID            string
	DeletedChunks, DeletedRules int
}

// DeleteSource deletes a source and returns the answer.
func DeleteSource(env *Env, sourceID string, force bool) (gone RemovedSource) {
	env.T.Helper()
	env.Call(client.DeleteSource, map[string]any{"sourceId": sourceID, "force": force}, &gone)
	require.Equal(env.T, []string{"deleted", sourceID}, []string{gone.Status, gone.SourceID})
	return gone
}
