package workspace_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/workspace"
)

// Every value is counted, under the key that seals it and the one that hashes it.
func TestSealedValuesAreCountedByKey(t *testing.T) {
	r := modelstest.NewRotation(t)
	require.NoError(t, workspace.CheckKeys(t.Context(), r.DB, r.Before.Box))
	r.Before.Pair(t, "owner@example.com")
	uses := func() map[string]int64 {
		found, err := workspace.NewRewrap(r.DB, r.During.Box, models.AllSealedColumns).KeyUses(t.Context())
		require.NoError(t, err)
		return found
	}
	assert.Equal(t, map[string]int64{"e1": 3, "h1": 3}, uses())
	r.During.Create(t, "other@example.com")
	assert.Equal(t, map[string]int64{"e1": 3, "h1": 3, "e2": 2, "h2": 2}, uses())
	require.NoError(t, workspace.NewRewrap(r.DB, r.During.Box, models.AllSealedColumns).Run(t.Context(), modelstest.Quiet))
	assert.Equal(t, map[string]int64{"e2": 5, "h2": 5}, uses())
}

// Each column is counted by an index, from key to key, and no further than
// CountedSecrets.
func TestSealedValuesCostNoMoreThanIsCounted(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	statements := workspace.KeyUseStatements(append(slices.Clone(models.AllSealedColumns), workspace.KeyCheckColumn))
	for name, text := range statements {
		if name != "secret_canary.sealed sealed_under(sealed)" && name != "secret_canary.sealed hash_key_id" { // one row
			assert.NotContains(t, modelstest.KeyedPlan(t, db, text, nil), "Seq Scan", name)
		}
	}
	const receivers = "executions.receiver_secret sealed_under(receiver_secret)"
	modelstest.AddWaiting(t, db, 1, 12_000)
	few := modelstest.KeyedBlocks(t, db, statements[receivers], nil)
	modelstest.AddWaiting(t, db, 12_001, 48_000)
	assert.LessOrEqual(t, modelstest.KeyedBlocks(t, db, statements[receivers], nil), few*5/2)
	uses, err := workspace.NewRewrap(db, modelstest.NewBox(t), models.AllSealedColumns).KeyUses(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{"e1": 480, "e2": workspace.CountedSecrets}, uses)
}
