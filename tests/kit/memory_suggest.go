package kit

import (
	"maps"

	"github.com/stretchr/testify/require"
)

// Liability is what the judgments of these tests are about, and what is asked.
const Liability = "The supplier's liability for damages is unlimited."

// About returns a judgment with this content in acme, with more fields.
func About(userID, decision, content string, more ...map[string]any) map[string]any {
	data := Verdict(userID, decision, map[string]any{"content": content, "organizationId": "acme"})
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// Because returns the reasoning of a judgment as a further field.
func Because(reasoning string) map[string]any { return map[string]any{"reasoning": reasoning} }

// Remembers returns once the index has everything that was recorded so far. How much that is
// beside what other tests record, which comes in turn with it, is no measure: it fails when
// nothing comes in any more.
func Remembers(env *Env) {
	env.T.Helper()
	rows := env.DB()
	pending := func() (count int) {
		require.NoError(env.T, rows.QueryRow(env.Ctx, `SELECT count(*) FROM judgment_index i JOIN judgments j USING (key)
WHERE i.workspace_id = $1 AND NOT i.indexed`, env.Workspace.ID).Scan(&count))
		return count
	}
	for left := pending(); left > 0; {
		RequireWithin(env.T, Patience, "the index gets another judgment", func() bool {
			now := pending()
			less := now < left
			left = now
			return less
		})
	}
}
