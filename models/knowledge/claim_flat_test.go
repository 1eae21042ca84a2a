package knowledge_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/modelstest"
)

// BenchmarkClaimVersions claims 16 versions where some sources wait, or very many.
// The times may not differ by more than three tenths.
func BenchmarkClaimVersions(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("waiting=%d", n), func(b *testing.B) {
			l := modelstest.NewLibrary(b)
			waiting(b, l, min(n, 1000), n)
			after := ""
			for b.Loop() {
				claimed, last, err := l.ClaimVersions(b.Context(), after, 16)
				b.StopTimer()
				require.NoError(b, err)
				require.Len(b, claimed, 16)
				after = last
				l.Exec(`UPDATE source_versions SET state = 'accepted', drive_after = started_at WHERE state = 'staging'`)
				b.StartTimer()
			}
		})
	}
}

// waiting makes so many workspaces which together have so many sources that wait.
func waiting(b *testing.B, l *modelstest.Library, workspaces, sources int) {
	b.Helper()
	_, err := l.Accept(b.Context(), "ws_one", modelstest.Source("text"))
	require.NoError(b, err)
	l.Exec(`INSERT INTO workspaces SELECT (jsonb_populate_record(w, jsonb_build_object('id', 'ws_n' || n, 'name', n, 'name_key', n,
		'token_mac', '\x' || encode(sha256(('waits' || n)::bytea), 'hex')))).* FROM workspaces w CROSS JOIN generate_series(1, $1::integer) n WHERE id = 'ws_one'`, workspaces)
	for _, table := range []string{"sources", "source_versions"} {
		id := map[string]string{"sources": "id", "source_versions": "source_id"}[table]
		l.Exec(`INSERT INTO `+table+` SELECT (jsonb_populate_record(s, jsonb_build_object('workspace_id', 'ws_n' || (1 + n % $1), '`+id+`', 'src_' || n))).*
			FROM `+table+` s CROSS JOIN generate_series(1, $2::integer) n WHERE s.workspace_id = 'ws_one'`, workspaces, sources)
	}
	l.Exec(`DELETE FROM source_versions WHERE workspace_id = 'ws_one'`)
	l.Exec(`VACUUM ANALYZE`)
}
