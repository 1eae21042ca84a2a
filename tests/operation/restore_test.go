package operation

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// drill is a service of which everything is destroyed but its backup and its keys.
type drill struct {
	*kit.IsolatedStack
	t        *testing.T
	parts    *stack.Stack
	process  *stack.Service
	env      *kit.Env
	settings map[string]string
}

// dueSoon is found by the paper of the house.
const dueSoon = "When are bills due?"

// TestLong_EverythingIsRestoredFromABackup loses the database, Temporal's, the index and the
// files after a backup that was made under load. What waited when it was made goes on, and
// nobody is told of what had ended.
func TestLong_EverythingIsRestoredFromABackup(t *testing.T) {
	d := newDrill(t)
	env := d.env
	told := kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"knowledge.ingest.completed"}})
	left := kit.EndpointAt(env, "/left")
	env.Receiver().Answer("/told", receiver.Status(http.StatusServiceUnavailable))
	sources := []string{kit.Ingest(env, kit.HousePaper), kit.Ingest(env, kit.Manual(6))}
	for _, source := range sources {
		kit.BroughtIn(env, source, "completed")
	}
	env.Arrived("/told", receiver.Count(2))
	env.Call(client.DeleteEndpoint, kit.Of(left.ID), nil)

	ended := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/ended"))
	ended.Ends("completed")
	ended.Delivered()
	book, pipeline := &kit.Ledger{S: env, Path: "/events"}, kit.Pipeline(env)
	waiting := make([]*kit.Run, 10)
	for i := range waiting {
		waiting[i] = book.Add(kit.Dispatch(env, pipeline, kit.WithReceiver(env, "/events")))
	}
	for _, r := range waiting {
		r.WaitsAt("review")
	}
	found, tokens := kit.Search(env, dueSoon), kit.Tokens(env, env.Workspace.APIKey)
	silent := len(env.Receiver().Requests("/ended")) + len(env.Receiver().Requests("/left"))

	folder := filepath.Join(t.TempDir(), "backup")
	d.underLoad(func() { d.run("admin", "backup", folder, "--as=test") })
	d.destroy()
	d.run("admin", "restore", folder, "--yes", "--as=test")
	d.run("admin", "temporal", "resync", "--as=test")
	d.run("admin", "index", "rebuild", "--as=test")
	env.Receiver().Answer("/told", receiver.Status(http.StatusOK))
	d.Restart(d.process)

	require.Equal(t, tokens, kit.Tokens(env, env.Workspace.APIKey), "by the workspace's token; that of its key opens all that follows")
	for _, r := range waiting {
		require.True(t, r.Decide("review", "ann", "approve").ResumeScheduled)
	}
	book.Check()
	require.Len(t, env.Receiver().Requests("/before"), len(waiting), "what was done is not done again")
	kit.EndedOnce(env, told, len(sources))
	require.Equal(t, found, kit.Search(env, dueSoon))
	report, err := d.CheckIndex()
	require.NoError(t, err)
	require.Zero(t, report.Missing+report.Surplus)
	_, original := kit.Get(t, kit.Status(env, sources[0]).OriginalDownloadURL, "")
	require.Equal(t, kit.HousePaper, string(original))
	require.Len(t, append(env.Receiver().Requests("/ended"), env.Receiver().Requests("/left")...), silent, "who had ended is told nothing")
	d.AtRest()
}

func newDrill(t *testing.T) *drill {
	t.Helper()
	parts := kit.OwnParts(t)
	d := &drill{IsolatedStack: kit.NewIsolatedStackOn(t, parts), t: t, parts: parts}
	d.settings = map[string]string{"REDLINE_EMBEDDER": "lexical", "REDLINE_BLOB_DIR": t.TempDir()}
	var err error
	d.process, err = d.Start(t.Context(), "serve", map[string]string{
		"REDLINE_EMBEDDER": "lexical", "REDLINE_BLOB_DIR": d.settings["REDLINE_BLOB_DIR"], "REDLINE_WEBHOOK_SCHEDULE": "5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s",
	})
	require.NoError(t, err)
	d.env = kit.Hooked(d.NewWorkspace(d.process))
	return d
}

func (d *drill) run(args ...string) {
	d.t.Helper()
	_, err := d.RunWith(d.t.Context(), d.settings, args...)
	require.NoError(d.t, err)
}

// underLoad calls do while executions are started and end.
func (d *drill) underLoad(do func()) {
	d.t.Helper()
	instant, reported := kit.Instant(d.env), kit.WithReceiver(d.env, "/load")
	ctx, stop := context.WithCancel(d.t.Context())
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for ctx.Err() == nil {
				data := redline.DispatchRequest{DefinitionID: instant}
				reported(&data)
				_, err := d.env.Workspace.Dispatch(d.env.Ctx, data)
				kit.NoError(d.t, err)
			}
		})
	}
	d.env.Arrived("/load", receiver.Count(100))
	do()
	stop()
	load.Wait()
}

// destroy leaves the servers, empty.
func (d *drill) destroy() {
	t := d.t
	t.Helper()
	d.process.Kill()
	require.NoError(t, d.RemoveRows(t.Context()))
	require.NoError(t, d.CreateRows(t.Context()))
	require.NoError(t, d.parts.Part(t.Context(), "temporal", "empty"))
	require.NoError(t, d.parts.Part(t.Context(), "weaviate", "kill"))
	require.NoError(t, os.RemoveAll(filepath.Join(d.parts.Folder, "weaviate", "data")))
	require.NoError(t, d.parts.Part(t.Context(), "weaviate", "start"))
	require.NoError(t, os.RemoveAll(d.settings["REDLINE_BLOB_DIR"]))
}

// What a restore refuses on the real stack: a service that runs on the database, which keeps what it has.
func TestLong_RestoreIsRefusedOverARunningService(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	r := kit.Dispatch(env, kit.Pipeline(env))
	r.WaitsAt("review")
	folder := filepath.Join(t.TempDir(), "backup")
	_, err := isolated.Run(t.Context(), "admin", "backup", folder, "--as=test")
	require.NoError(t, err)
	_, err = isolated.Run(t.Context(), "admin", "restore", folder, "--yes", "--as=test")
	require.ErrorContains(t, err, "the database is in use (redline from ")
	require.True(t, r.Decide("review", "ann", "approve").ResumeScheduled)
	r.Ends("completed")
}
