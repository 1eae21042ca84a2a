package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	jobs "github.com/redline-svc/redline/activities/job"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/deletion"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
)

// mortal holds what makes this program a worker for one job, which is killed: the job, the database, and whether
// the first call outside the rows or the first portion is its end.
const mortal = "REDLINE_TEST_MORTAL"

func TestMain(m *testing.M) {
	if of, is := os.LookupEnv(mortal); is {
		if err := workUntilKilled(of); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	pgtest.Main(m)
}

func workUntilKilled(of string) error {
	var id, url string
	var atCall bool
	if _, err := fmt.Sscan(of, &id, &url, &atCall); err != nil {
		return err
	}
	ctx := context.Background()
	db, err := models.Open(ctx, url, models.PoolOptions{Conns: 4})
	if err != nil {
		return err
	}
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	if err != nil {
		return err
	}
	s := models.NewStores(db, box, models.Options{})
	begun, err := s.Jobs.Begin(ctx, id)
	if err != nil || begun == nil {
		return fmt.Errorf("the job %s has not begun: %w", id, err)
	}
	o := &lethal{outside{failed: map[string]bool{"index": true, "runs": true}}, atCall}
	handle := map[string]jobs.Handler{
		job.Removal: jobs.Remove(s.Deleted, s.Annotations, s.Groups, s.Executions, s.Judgments, s.Knowledge, s.Notifications),
		job.WorkspaceRemoval: (&jobs.WorkspaceRemoval{
			Rows: s.Deletions, Runs: o, Index: o, Generations: o, Files: o, Deleted: s.Deleted, Contents: s.Annotations,
		}).Remove,
	}[begun.Kind]
	_, more, err := handle(ctx, begun)
	if err == nil && more {
		die()
	}
	if err == nil {
		_, err = s.Jobs.Complete(ctx, id)
	}
	return err
}

// lethal is what is outside, where a call may be the last thing that the process does.
type lethal struct {
	outside

	atCall bool
}

func (l *lethal) called(err error) error {
	if l.atCall {
		die()
	}
	return err
}

func (l *lethal) Delete(context.Context, string) error { return l.called(nil) }

func (l *lethal) DeleteSchedule(context.Context, string, deletion.ScheduleRef) error {
	return l.called(nil)
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// killedAtEachPortion has processes work on a job of which each is killed after a portion, or at a call before, until
// one is left to end it. It returns how many were killed.
func killedAtEachPortion(t *testing.T, url, id string) (killed int) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	for {
		child := exec.CommandContext(t.Context(), self)
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %t", mortal, id, url, killed%2 == 0))
		said, err := child.CombinedOutput()
		if err == nil {
			return killed
		}
		status, _ := child.ProcessState.Sys().(syscall.WaitStatus)
		require.True(t, status.Signaled(), "%v: %s", err, said)
		killed++
		require.Less(t, killed, 400, "the job goes on")
	}
}

func TestLong_DeleteWorkspace_1_KilledAtEachPortion(t *testing.T) {
	url := pgtest.URL(t)
	db := openAt(t, url)
	s := modelstest.TenantsOn(db, modelstest.BoxOf(t, []secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")}))
	gone, stays := s.Create(t, "gone@example.com"), s.Create(t, "stays@example.com")
	withRows(t, db, gone.ID, "x", 1)
	withRows(t, db, stays.ID, "y", 2)
	before := tablesOf(t, db, stays.ID)
	stores := models.NewStores(db, s.Box, models.Options{})
	id, err := stores.Deletions.Accept(t.Context(), gone.ID, "ann")
	require.NoError(t, err)
	require.Greater(t, killedAtEachPortion(t, url, id), 40)
	left, err := stores.Deletions.Left(t.Context(), gone.ID)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, before, tablesOf(t, db, stays.ID))
}

// Nobody finds what stood in the folder from the deletion on, and its rows go whoever is killed.
func TestFoldersDelete_KilledAtEachPortion(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openAt(t, url)
	modelstest.AddWorkspace(t, db, modelstest.Workspace)
	for _, statement := range []string{
		`INSERT INTO organizations (workspace_id, organization_id, name) VALUES ('ws_test', 'acme', 'Acme')`,
		`INSERT INTO folders (workspace_id, organization_key, folder_id, name, default_access) SELECT workspace_id, key, 'many', 'Many', 'public' FROM organizations`,
		`INSERT INTO documents (workspace_id, organization_key, document_id, folder_key, name, default_access)
SELECT f.workspace_id, f.organization_key, 'd' || n, f.key, 'd', 'public' FROM folders f, generate_series(1, 1250) n`,
		`INSERT INTO documents (workspace_id, organization_key, document_id, name, default_access) SELECT workspace_id, key, 'stays', 's', 'public' FROM organizations`,
	} {
		_, err := db.Pool.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	stores := models.NewStores(db, modelstest.NewBox(t), models.Options{})
	require.NoError(t, stores.Folders.Delete(t.Context(), modelstest.Workspace, "acme", "many"))
	found, err := stores.Documents.Count(t.Context(), modelstest.Workspace, directory.DocumentFilter{OrganizationID: "acme"})
	require.NoError(t, err)
	require.EqualValues(t, 1, found)
	_, err = db.Pool.Exec(t.Context(), `UPDATE document_rows SET document_id = 'd' || key WHERE document_id IS NULL`)
	require.NoError(t, err, "who deleted it was killed as well, before the first portion of ids")
	var id string
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT id FROM jobs WHERE kind = $1`, job.Removal).Scan(&id))
	require.Greater(t, killedAtEachPortion(t, url, id), 14, "two portions of ids, thirteen of documents, the folder")
	var rows, folders int
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM document_rows), (SELECT count(*) FROM folders)`).Scan(&rows, &folders))
	require.Equal(t, [2]int{1, 0}, [2]int{rows, folders})
}

func openAt(t *testing.T, url string) *models.DB {
	t.Helper()
	db, err := models.Open(t.Context(), url, models.PoolOptions{Conns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}
