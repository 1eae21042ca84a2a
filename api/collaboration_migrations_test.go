package api_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestMigrate_1_ManyCallsForOnePairAreOneMigration(t *testing.T) {
	env := newWorkspace(t) // nobody works on the migration
	kit.Fill(env, "old", 1)
	var ids sync.Map
	kit.Concurrently(100, func(int) {
		accepted, err := client.Call[redline.MigrationIDResult](env.Ctx, env.Keyed, client.Migrate, kit.PairOf("old", "new"))
		if kit.NoError(t, err) {
			ids.Store(accepted.Data.MigrationID, true)
		}
	})
	found := []any{}
	ids.Range(func(id, _ any) bool { found = append(found, id); return true })
	require.Equal(t, []any{kit.Migrates(env, "old", "new")}, found)

	kit.Fill(env, "third", 1)
	require.Equal(t, redline.ErrorDetailsReasonAborted, env.RefusedAs("ABORTED", client.Migrate, kit.PairOf("old", "another")).Reason)
	require.Equal(t, redline.ErrorDetailsReasonAborted, env.RefusedAs("ABORTED", client.Migrate, kit.PairOf("third", "new")).Reason)
	require.Equal(t, redline.ErrorDetailsReasonAlreadyExists, env.RefusedAs("ALREADY_EXISTS", client.Migrate, kit.PairOf("third", "old")).Reason)
	env.RefusedAs("INVALID_ARGUMENT", client.Migrate, kit.PairOf("third", "third"))
	env.RefusedAs("NOT_FOUND", client.Migrate, kit.PairOf("unknown", "elsewhere"))
	elsewhere := kit.PairOf("old", "new")
	elsewhere["organizationId"] = "another"
	env.RefusedAs("NOT_FOUND", client.Migrate, elsewhere)
}
