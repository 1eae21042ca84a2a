package stack

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever has a database for a service of theirs does not have the tests in it.
func TestStacksHaveNoSettingsOfWhoeverRunsThem(t *testing.T) {
	t.Setenv("REDLINE_DATABASE_URL", "postgres://theirs.test/production")
	t.Setenv("REDLINE_POSTGRES_TOOLS", "/usr/lib/postgresql/16/bin")
	t.Setenv("OTHER", "stays")
	for name, env := range map[string][]string{"parts": plain(), "service": environment(map[string]string{"REDLINE_LOG_LEVEL": "warn"})} {
		require.NotContains(t, env, "REDLINE_DATABASE_URL=postgres://theirs.test/production", name)
		require.Subset(t, env, []string{"REDLINE_POSTGRES_TOOLS=/usr/lib/postgresql/16/bin", "OTHER=stays"}, name)
	}
	require.Contains(t, environment(map[string]string{"REDLINE_LOG_LEVEL": "warn"}), "REDLINE_LOG_LEVEL=warn")
}
