package kit

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// SourcesGone is after how long nothing of a removed source is left in rows, files and
// index.
const SourcesGone = 2 * time.Minute

// WithoutSources proves that no read returns anything of sources: not their status, not
// in a search, named or not.
func WithoutSources(env *Env, sourceIDs ...string) {
	env.T.Helper()
	for _, id := range sourceIDs {
		require.Equal(env.T, redline.ErrorDetailsReasonUnknownSource, env.RefusedAs("NOT_FOUND", client.IngestStatus, map[string]any{"sourceId": id}).Reason)
		require.Empty(env.T, Search(env, "bills", map[string]any{"sourceId": id, "includeRules": true}).Results)
	}
	for _, hit := range Search(env, "bills", map[string]any{"limit": 50, "includeRules": true}).Results {
		require.NotContains(env.T, sourceIDs, hit.SourceID)
	}
}

// OnlySources waits until rows and index hold nothing but these sources, a version
// each.
func (isolated *IsolatedStack) OnlySources(sourceIDs ...string) {
	isolated.T.Helper()
	rows := isolated.DB()
	RequireWithin(isolated.T, SourcesGone, "what belonged to removed sources is gone", func() bool {
		for table, column := range map[string]string{"sources": "id", "source_versions": "source_id", "chunks": "source_id", "rules": "source_id"} {
			var others int
			require.NoError(isolated.T, rows.QueryRow(isolated.T.Context(), `SELECT count(*) FROM `+table+` WHERE `+column+` <> ALL ($1)`, sourceIDs).Scan(&others))
			if others > 0 {
				return false
			}
		}
		return true
	})
	var unused int
	require.NoError(isolated.T, rows.QueryRow(isolated.T.Context(), `SELECT count(*) FROM vectors v WHERE NOT EXISTS (SELECT FROM chunks r WHERE r.text_hash = v.text_hash)
AND NOT EXISTS (SELECT FROM rules r WHERE r.text_hash = v.text_hash)`).Scan(&unused))
	require.Zero(isolated.T, unused, "vectors of texts that are gone")
	report, err := isolated.CheckIndex()
	require.NoError(isolated.T, err)
	require.Equal(isolated.T, []int{len(sourceIDs), 0, 0}, []int{report.Versions, report.Missing, report.Surplus})
}

// IngestAbout ingests a text that is scoped to an organization, or to a document, and
// returns the id of its source.
func IngestAbout(env *Env, organizationID, documentID, content string) string {
	env.T.Helper()
	data := IngestData(content)
	data["organizationId"] = organizationID
	if documentID != "" {
		data["documentId"] = documentID
	}
	return IngestAs(env, data)
}

// RecordedReasons returns the reasons of the judgments that a query finds, in order.
func RecordedReasons(env *Env, query map[string]any) (reasons []string) {
	env.T.Helper()
	for _, judgment := range Judgments(env, query).Results {
		reasons = append(reasons, judgment.Reasoning)
	}
	slices.Sort(reasons)
	return reasons
}
