package knowledge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// embedded is a row whose text is the n-th, with its vector unless that is known.
func embedded(ordinal, n int, known bool) knowledge.Embedded {
	e := knowledge.Embedded{Ordinal: ordinal, Hash: modelstest.BytesOf(n)}
	if !known {
		e.Vector = []float32{float32(n)}
	}
	return e
}

// drop removes a version as the worker does once its source is removed.
func drop(t *testing.T, l *modelstest.Library, v knowledge.VersionRef) {
	t.Helper()
	l.Exec(`UPDATE sources SET removed = true, live = NULL WHERE id = $1`, v.SourceID)
	require.NoError(t, l.DropVersion(t.Context(), v))
}

// A vector goes with the last row that uses it, be it a chunk or a rule, and whatever
// model made it.
func TestAVectorGoesWithTheLastRowThatUsesIt(t *testing.T) {
	l := modelstest.NewLibrary(t)
	one, two, far := l.Live("ws_one", "a", "b"), l.Live("ws_one", "a"), l.Live("ws_two", "a")
	_, err := l.Build(t.Context(), "m2", []float32{2}, "m2")
	require.NoError(t, err)
	for _, model := range []string{"m1", "m2"} {
		require.NoError(t, l.StoreVectors(t.Context(), one, model, vector.Chunks, []knowledge.Embedded{embedded(0, 1, false), embedded(1, 2, false)}))
		require.NoError(t, l.StoreVectors(t.Context(), one, model, vector.Rules, []knowledge.Embedded{embedded(0, 3, false), embedded(1, 3, true)}))
		require.NoError(t, l.StoreVectors(t.Context(), two, model, vector.Rules, []knowledge.Embedded{embedded(0, 1, true)}))
		require.NoError(t, l.StoreVectors(t.Context(), far, model, vector.Chunks, []knowledge.Embedded{embedded(0, 2, false)}))
	}
	require.Equal(t, 8, count(t, l, "vectors"))
	drop(t, l, one)
	require.Equal(t, 2, count(t, l, "vectors WHERE workspace_id = 'ws_one'"), "of both models that which a rule of another source uses")
	require.Equal(t, 2, count(t, l, "vectors WHERE workspace_id = 'ws_two'"))
	drop(t, l, two)
	require.Zero(t, count(t, l, "vectors WHERE workspace_id = 'ws_one'"))
	drop(t, l, far)
	require.Zero(t, count(t, l, "vectors"))
}

// A vector that somebody is about to use stays: the removal waits for them and sees
// their row. One that went first is noticed, and made again by the next try.
func TestAVectorThatIsTakenUpWhileItGoes(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	old, fresh := l.Live("ws_one", "a"), l.Live("ws_one", "a")
	require.NoError(t, l.StoreVectors(ctx, old, "m1", vector.Chunks, []knowledge.Embedded{embedded(0, 1, false)}))
	taking, err := l.DB.Pool.Begin(ctx)
	require.NoError(t, err)
	_, err = taking.Exec(ctx, `UPDATE chunks SET text_hash = $1 WHERE source_id = $2`, modelstest.BytesOf(1), fresh.SourceID)
	require.NoError(t, err)
	_, err = taking.Exec(ctx, `SELECT FROM vectors FOR KEY SHARE`)
	require.NoError(t, err)
	dropped := make(chan error, 1)
	go func() { dropped <- l.DropVersion(ctx, old) }()
	modelstest.AwaitWaiting(t, l.DB, 1)
	require.NoError(t, taking.Commit(ctx))
	require.NoError(t, <-dropped)
	require.Equal(t, 1, count(t, l, "vectors"))

	drop(t, l, fresh)
	late := l.Live("ws_one", "a")
	require.Error(t, l.StoreVectors(ctx, late, "m1", vector.Chunks, []knowledge.Embedded{embedded(0, 1, true)}), "it was known and is gone")
	rows, err := l.Unembedded(ctx, late, "m1", vector.Chunks, 0, 10)
	require.NoError(t, err)
	require.Equal(t, []knowledge.Unembedded{{Content: "a", Hash: []byte{}}}, rows, "nothing was stored")
	require.NoError(t, l.StoreVectors(ctx, late, "m1", vector.Chunks, []knowledge.Embedded{embedded(0, 1, false)}))
}

// Versions with the same texts are brought in and removed at the same time: none lacks
// a vector in the end, and none stays without a row.
func TestVectorsUnderManyWhoComeAndGo(t *testing.T) {
	l := modelstest.NewLibrary(t)
	var versions []knowledge.VersionRef
	for range 8 {
		versions = append(versions, l.Live("ws_one", "a", "b"))
	}
	all := make(chan error)
	for i, v := range versions {
		go func() {
			all <- func() error {
				for known := i%2 == 0; ; known = false {
					err := l.StoreVectors(t.Context(), v, "m1", vector.Chunks, []knowledge.Embedded{embedded(1, 2, known), embedded(0, 1, known)})
					if err == nil || !known {
						return err
					}
				}
			}()
			if i < 4 {
				all <- l.DropVersion(t.Context(), v)
			}
		}()
	}
	for range 12 {
		require.NoError(t, <-all)
	}
	for _, v := range versions[4:] {
		page, _, err := l.VectorPage(t.Context(), v, "m1", vector.Chunks, 0, 10)
		require.NoError(t, err)
		require.Len(t, page, 2)
		drop(t, l, v)
	}
	require.Zero(t, count(t, l, "vectors"))
}
