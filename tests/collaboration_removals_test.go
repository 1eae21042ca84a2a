package tests

import (
	"time"

	"github.com/stretchr/testify/require"
)

// sourcesGone is after how long nothing of a removed source is left in rows, files and
// index.
const sourcesGone = 2 * time.Minute

// withoutSources proves that no read gives anything of sources: not their status, not
// in a search, named or not.
func (s *scene) withoutSources(sourceIDs ...string) {
	s.t.Helper()
	for _, id := range sourceIDs {
		require.Equal(s.t, "unknown-source", s.refusedAs("NOT_FOUND", "memory/knowledge/ingest-status", map[string]any{"sourceId": id}).Reason)
	}
	require.Empty(s.t, s.search("bills", map[string]any{"sourceId": sourceIDs, "includeRules": true}).Results)
	for _, hit := range s.search("bills", map[string]any{"limit": 50, "includeRules": true}).Results {
		require.NotContains(s.t, sourceIDs, hit.SourceID)
	}
}

// onlySources waits until rows and index hold nothing but these sources, a version
// each.
func (l *lab) onlySources(sourceIDs ...string) {
	l.t.Helper()
	rows := l.rows()
	within(l.t, sourcesGone, "what belonged to removed sources is gone", func() bool {
		for table, column := range map[string]string{"sources": "id", "source_versions": "source_id", "chunks": "source_id", "rules": "source_id"} {
			var others int
			require.NoError(l.t, rows.QueryRow(l.t.Context(), `SELECT count(*) FROM `+table+` WHERE `+column+` <> ALL ($1)`, sourceIDs).Scan(&others))
			if others > 0 {
				return false
			}
		}
		return true
	})
	report, err := l.checkIndex()
	require.NoError(l.t, err)
	require.Equal(l.t, []int{len(sourceIDs), 0, 0}, []int{report.Versions, report.Missing, report.Surplus})
}
