package knowledge_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestIngest_AWorkspaceHoldsTenThousandSources(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	held, err := l.Accept(ctx, "ws_one", modelstest.Source("held"))
	require.NoError(t, err)
	l.Fill("ws_one", 9_995)
	accepted := 0
	for _, err := range modelstest.AtOnce(20, func(i int) error {
		_, err := l.Accept(ctx, "ws_one", modelstest.Source(fmt.Sprint("racing ", i)))
		return err
	}) {
		if err != nil {
			modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "source-quota")
			continue
		}
		accepted++
	}
	require.Equal(t, 5, accepted)

	again := modelstest.Source("held")
	again.Reuse = true
	reused, err := l.Accept(ctx, "ws_one", again)
	require.NoError(t, err, "a source that is there already does not count again")
	require.Equal(t, knowledge.Accepted{SourceID: held.SourceID, Reused: true}, reused)
	_, err = l.Accept(ctx, "ws_two", modelstest.Source("other"))
	require.NoError(t, err, "each workspace has a quota of its own")
	l.Exec(`DELETE FROM sources WHERE workspace_id = 'ws_one' AND id = 'src_filled1'`)
	_, err = l.Accept(ctx, "ws_one", modelstest.Source("next"))
	require.NoError(t, err)
	_, err = l.Accept(ctx, "ws_one", modelstest.Source("one too many"))
	modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "source-quota")
}

// A refused file keeps its reference, to be ingested once the quota allows it.
func TestIngest_AnUploadWaitsForTheQuotaOfSources(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	l.Uploaded("p")
	l.Fill("ws_one", 10_000)
	accept := func() error {
		_, err := l.AcceptUpload(ctx, "ws_one", "p", func(*knowledge.Upload) error { return nil }, knowledge.NewSource{ID: knowledge.NewSourceID(), Type: "upload"})
		return err
	}
	modelstest.RequireRefusal(t, accept(), fault.StatusResourceExhausted, "source-quota")
	u, err := l.UploadByRef(ctx, "ws_one", "p")
	require.NoError(t, err)
	require.Equal(t, []string{"uploaded", ""}, []string{u.State, u.SourceID})
	l.Exec(`DELETE FROM sources WHERE id = 'src_filled1'`)
	require.NoError(t, accept())
}
