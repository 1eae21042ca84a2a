package models_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models"
)

func TestIngest_AWorkspaceHoldsTenThousandSources(t *testing.T) {
	l := newLibrary(t)
	ctx := t.Context()
	held, err := l.Accept(ctx, "ws_one", source("held"))
	require.NoError(t, err)
	l.fill("ws_one", 9_995)
	accepted := 0
	for _, err := range atOnce(20, func(i int) error {
		_, err := l.Accept(ctx, "ws_one", source(fmt.Sprint("racing ", i)))
		return err
	}) {
		if err != nil {
			requireRefusal(t, err, fault.ResourceExhausted, "source-quota")
			continue
		}
		accepted++
	}
	require.Equal(t, 5, accepted)

	again := source("held")
	again.Reuse = true
	reused, err := l.Accept(ctx, "ws_one", again)
	require.NoError(t, err, "what is there already takes no place")
	require.Equal(t, models.Accepted{SourceID: held.SourceID, Reused: true}, reused)
	_, err = l.Accept(ctx, "ws_two", source("other"))
	require.NoError(t, err, "each workspace has places of its own")
	l.exec(`DELETE FROM sources WHERE workspace_id = 'ws_one' AND id = 'src_filled1'`)
	_, err = l.Accept(ctx, "ws_one", source("next"))
	require.NoError(t, err)
	_, err = l.Accept(ctx, "ws_one", source("one too many"))
	requireRefusal(t, err, fault.ResourceExhausted, "source-quota")
}

// A refused file keeps its reference, to be ingested once there is a place.
func TestIngest_AnUploadWaitsForAPlaceAmongTheSources(t *testing.T) {
	l := newLibrary(t)
	ctx := t.Context()
	l.uploaded("p")
	l.fill("ws_one", 10_000)
	accept := func() error {
		_, err := l.AcceptUpload(ctx, "ws_one", "p", func(*models.Upload) error { return nil }, models.NewSource{ID: models.NewSourceID(), Type: "upload"})
		return err
	}
	requireRefusal(t, accept(), fault.ResourceExhausted, "source-quota")
	u, err := l.UploadByRef(ctx, "ws_one", "p")
	require.NoError(t, err)
	require.Equal(t, []string{"uploaded", ""}, []string{u.State, u.SourceID})
	l.exec(`DELETE FROM sources WHERE id = 'src_filled1'`)
	require.NoError(t, accept())
}
