package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// ListSourcePage returns the page of sources that data asks for.
func ListSourcePage(env *Env, data map[string]any) (page client.Page[redline.Source]) {
	env.T.Helper()
	env.Call(client.ListSources, data, &page)
	return page
}

// NewestSources lists sources without asking for a page; filters narrow them.
func NewestSources(env *Env, filters map[string]any) (sources []redline.Source) {
	env.T.Helper()
	env.Call(client.ListSources, filters, &sources)
	return sources
}

// SourceIDs returns the ids of sources in their order.
func SourceIDs(sources []redline.Source) (ids []string) {
	for _, source := range sources {
		ids = append(ids, source.ID)
	}
	return ids
}

// DeleteSource deletes a source and returns the answer.
func DeleteSource(env *Env, sourceID string, force bool) (gone redline.SourceDeleted) {
	env.T.Helper()
	env.Call(client.DeleteSource, map[string]any{"sourceId": sourceID, "force": force}, &gone)
	require.Equal(env.T, []string{"deleted", sourceID}, []string{string(gone.Status), gone.SourceID})
	return gone
}
