package workspace_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/workspace"
)

// openBytes are the columns of bytes that hold no secret: hashes of contents and
// of single-use addresses, vectors, and the bodies of messages.
var openBytes = map[string]bool{
	"source_versions.sha256": true, "chunks.text_hash": true, "rules.text_hash": true, "rules.identity": true, "vectors.text_hash": true,
	"vectors.vector": true, "index_generations.probe": true, "uploads.token_hash": true, "uploads.sha256": true,
	"message_bodies.body": true, "message_bodies.simple": true, "callback_tokens.token_hash": true, "erasures.fingerprint": true, "judgment_vectors.review": true, "judgment_vectors.content": true,
}

// Every column of bytes is sealed and listed, or a hash by which one is found,
// or known to hold no secret.
func TestEverySealedColumnIsListed(t *testing.T) {
	s := modelstest.NewTenants(t)
	listed := map[string]bool{}
	for _, column := range append(slices.Clone(models.AllSealedColumns), workspace.KeyCheckColumn) {
		listed[column.Table+"."+column.Column] = true
		if column.Lookup != nil {
			listed[column.Table+"."+column.Lookup.MAC] = true
		}
	}
	rows, err := s.DB.Pool.Query(t.Context(), `
		SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND data_type = 'bytea'`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, name := range found {
		assert.True(t, listed[name] || openBytes[name], "%s holds bytes and is not among the sealed columns", name)
		delete(listed, name)
	}
	assert.Empty(t, listed, "these are listed and not in the schema")
}

func left(t *testing.T, s *modelstest.Tenants) int64 {
	t.Helper()
	counts, err := workspace.NewRewrap(s.DB, s.Box, models.AllSealedColumns).Count(t.Context())
	require.NoError(t, err)
	var rows int64
	for _, count := range counts {
		if count.Left {
			rows += count.Rows
		}
	}
	return rows
}

func TestRewrapMovesEverythingToTheFirstKeys(t *testing.T) {
	r := modelstest.NewRotation(t)
	require.NoError(t, workspace.CheckKeys(t.Context(), r.DB, r.Before.Box))
	w, token := r.Before.Pair(t, "owner@example.com")
	assert.Zero(t, left(t, r.Before))
	require.NoError(t, workspace.CheckKeys(t.Context(), r.DB, r.During.Box))
	require.ErrorIs(t, workspace.CheckKeys(t.Context(), r.DB, r.After.Box), workspace.ErrWrongKeys)
	assert.EqualValues(t, 6, left(t, r.During), "three values, each sealed and hashed")

	moved := map[string]int{}
	require.NoError(t, workspace.NewRewrap(r.DB, r.During.Box, models.AllSealedColumns).Run(t.Context(), func(c workspace.SealedColumn, n int) {
		moved[c.Table+"."+c.Column] += n
	}))
	assert.Equal(t, 1, moved["workspaces.token_sealed"])
	assert.Equal(t, 1, moved["auth_tokens.token_sealed"])
	assert.Equal(t, 1, moved["secret_canary.sealed"])
	assert.Zero(t, left(t, r.During))

	require.NoError(t, workspace.CheckKeys(t.Context(), r.DB, r.After.Box))
	require.ErrorIs(t, workspace.CheckKeys(t.Context(), r.DB, r.Before.Box), workspace.ErrWrongKeys)
	_, err := r.After.Credentials.Key(t.Context(), w.Keys[0].ID, token)
	require.NoError(t, err)
	_, err = r.After.Credentials.Workspace(t.Context(), w.ID, w.AuthToken)
	require.NoError(t, err)
	tokens, err := r.After.Keys.Tokens(t.Context(), w.ID, modelstest.Owner(w), w.Keys[0].ID)
	require.NoError(t, err)
	assert.Equal(t, token, tokens[0].Token, "the value is the same one")
}

// readable finds every key by its token, and its token by the key, until it is told to stop.
func readable(watch context.Context, t *testing.T, r modelstest.Rotation, w *workspace.Workspace, tokens map[string]string) {
	t.Helper()
	for keyID, token := range tokens {
		if watch.Err() != nil {
			return
		}
		if _, err := r.During.Credentials.Key(t.Context(), keyID, token); err != nil {
			t.Error(err)
			return
		}
		found, err := r.During.Keys.Tokens(t.Context(), w.ID, modelstest.Owner(w), keyID)
		if assert.NoError(t, err) {
			assert.Equal(t, token, found[0].Token)
		}
	}
}

func TestAKilledRewrapIsStartedAgainAndNothingIsEverUnreadable(t *testing.T) {
	r := modelstest.NewRotation(t)
	require.NoError(t, workspace.CheckKeys(t.Context(), r.DB, r.Before.Box))
	w := r.Before.Create(t, "owner@example.com")
	tokens := r.Before.Many(t, w, 200)

	watch, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	for range 8 {
		watching.Go(func() {
			for watch.Err() == nil {
				readable(watch, t, r, w, tokens)
			}
		})
	}

	interrupted, kill := context.WithCancel(t.Context())
	moved := 0
	err := workspace.NewRewrap(r.DB, r.During.Box, models.AllSealedColumns).Run(interrupted, func(workspace.SealedColumn, int) {
		if moved++; moved == 3 {
			kill()
		}
	})
	require.Error(t, err)
	assert.Positive(t, left(t, r.During))
	require.NoError(t, workspace.CheckKeys(t.Context(), r.DB, r.Before.Box), "the key check is the last to move")

	require.NoError(t, workspace.NewRewrap(r.DB, r.During.Box, models.AllSealedColumns).Run(t.Context(), modelstest.Quiet))
	stop()
	watching.Wait()
	assert.Zero(t, left(t, r.During))
	for keyID, token := range tokens {
		_, err := r.After.Credentials.Key(t.Context(), keyID, token)
		require.NoError(t, err)
	}
}

func TestRewrapBesideResets(t *testing.T) {
	r := modelstest.NewRotation(t)
	w := r.Before.Create(t, "owner@example.com")
	tokens := r.Before.Many(t, w, 50)
	var mu sync.Mutex
	last := map[string]string{}
	var resets sync.WaitGroup
	resets.Go(func() {
		for keyID := range tokens {
			made, err := r.During.Keys.Reset(t.Context(), w.ID, modelstest.Owner(w), keyID)
			if assert.NoError(t, err) {
				mu.Lock()
				last[keyID] = made.Token
				mu.Unlock()
			}
		}
	})
	require.NoError(t, workspace.NewRewrap(r.DB, r.During.Box, models.AllSealedColumns).Run(t.Context(), modelstest.Quiet))
	resets.Wait()
	assert.Zero(t, left(t, r.During))
	for keyID, token := range last {
		_, err := r.After.Credentials.Key(t.Context(), keyID, token)
		require.NoError(t, err)
	}
}

func TestAValueCopiedIntoAnotherWorkspaceDoesNotOpen(t *testing.T) {
	r := modelstest.NewRotation(t)
	require.NoError(t, workspace.CheckKeys(t.Context(), r.DB, r.Before.Box))
	mine, theirs := r.Before.Create(t, "mine@example.com"), r.Before.Create(t, "theirs@example.com")
	_, err := r.DB.Pool.Exec(t.Context(), `
		UPDATE auth_tokens SET token_sealed = (SELECT token_sealed FROM auth_tokens WHERE workspace_id = $1) WHERE workspace_id = $2`,
		theirs.ID, mine.ID)
	require.NoError(t, err)
	_, err = r.Before.Keys.Tokens(t.Context(), mine.ID, modelstest.Owner(mine), mine.Keys[0].ID)
	require.ErrorIs(t, err, secret.ErrUnreadable)

	err = workspace.NewRewrap(r.DB, r.During.Box, models.AllSealedColumns).Run(t.Context(), modelstest.Quiet)
	require.ErrorContains(t, err, "1 values do not open")
	require.NoError(t, workspace.CheckKeys(t.Context(), r.DB, r.Before.Box), "the old key may not be dropped")
	assert.EqualValues(t, 4, left(t, r.During), "the moved value and the key check, both sealed and hashed")
}

func TestCanary(t *testing.T) {
	s := modelstest.NewTenants(t)
	errs := modelstest.ErrorsOf(10, func(int) error { return workspace.CheckKeys(t.Context(), s.DB, s.Box) })
	require.NoError(t, errors.Join(errs...))
	other := modelstest.NewBox(t)
	err := workspace.CheckKeys(t.Context(), s.DB, other)
	require.ErrorIs(t, err, workspace.ErrWrongKeys, "equal names, other keys")
	_, err = s.DB.Pool.Exec(t.Context(), `UPDATE secret_canary SET mac = '\x00'`)
	require.NoError(t, err)
	require.ErrorContains(t, workspace.CheckKeys(t.Context(), s.DB, s.Box), "hash key h1")
	_, err = s.DB.Pool.Exec(t.Context(), `UPDATE secret_canary SET sealed = '\x00'`)
	require.NoError(t, err)
	require.ErrorIs(t, workspace.CheckKeys(t.Context(), s.DB, s.Box), workspace.ErrWrongKeys)
}
