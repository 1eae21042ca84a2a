package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	jobs "github.com/redline-svc/redline/activities/job"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/deletion"
	"github.com/redline-svc/redline/models/job"
	sources "github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/queue"
)

// outside is what a removal calls beside the rows. Each call fails once.
type outside struct {
	failed                    map[string]bool
	files, schedules, tenants []string
	open                      int
}

var errOnce = errors.New("it fails once")

func (o *outside) once(what string) error {
	if o.failed[what] {
		return nil
	}
	o.failed[what] = true
	return errOnce
}

func (o *outside) Delete(_ context.Context, key string) error {
	o.files = append(o.files, key)
	return o.once("file " + key)
}

func (o *outside) DeleteWorkspace(_ context.Context, suffix, workspaceID string) error {
	o.tenants = append(o.tenants, suffix+" "+workspaceID)
	return o.once("index")
}

func (o *outside) Standing(context.Context) ([]sources.Generation, error) {
	return []sources.Generation{{Suffix: "g1"}, {Suffix: "g2"}}, nil
}

func (o *outside) DeleteSchedule(_ context.Context, _ string, s deletion.ScheduleRef) error {
	o.schedules = append(o.schedules, s.TriggerID)
	return o.once("schedule")
}

func (o *outside) EndOpen(_ context.Context, _, but string) (int, error) {
	if !strings.HasPrefix(but, job.WorkspaceRemoval+"/wrm_") {
		return 0, fmt.Errorf("the run of the job is not %q", but)
	}
	ended := o.open
	o.open = 0
	return ended, o.once("runs")
}

// withRows gives a workspace a row in every table that has its id: each text is the word, each number
// the number, so that they refer to each other. What a column may be is no matter.
func withRows(t *testing.T, db *models.DB, workspaceID, word string, number int) {
	t.Helper()
	_, err := db.Pool.Exec(t.Context(), `
DO $$ DECLARE c record; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0 AND connamespace = 'public'::regnamespace LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.conname);
    END LOOP;
    FOR c IN SELECT contypid::regtype AS t, conname FROM pg_constraint WHERE contype = 'c' AND contypid <> 0 AND connamespace = 'public'::regnamespace LOOP
        EXECUTE format('ALTER DOMAIN %s DROP CONSTRAINT %I', c.t, c.conname);
    END LOOP;
END $$`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), fmt.Sprintf(`
DO $$ DECLARE t record; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR t IN
        SELECT c.table_name AS name, string_agg(quote_ident(c.column_name), ', ') AS columns, string_agg(
            CASE WHEN c.column_name = 'workspace_id' THEN %[1]s
                 WHEN c.data_type = 'text' THEN %[2]s WHEN c.data_type = 'bytea' THEN 'sha256(' || quote_literal(%[2]s) || '::bytea)'
                 WHEN c.data_type IN ('bigint', 'integer', 'smallint', 'double precision') THEN '%[3]d'
                 WHEN c.data_type LIKE 'timestamp%%' THEN 'clock_timestamp()' WHEN c.data_type = 'date' THEN 'current_date'
                 WHEN c.data_type = 'boolean' THEN 'false' WHEN c.data_type IN ('json', 'jsonb', 'ARRAY') THEN '''{}''' ELSE 'NULL' END, ', ') AS row
        FROM information_schema.columns c JOIN information_schema.tables USING (table_schema, table_name)
        WHERE c.table_schema = 'public' AND table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'
              AND c.table_name IN (SELECT table_name FROM information_schema.columns WHERE column_name = 'workspace_id' AND table_schema = 'public')
        GROUP BY c.table_name
    LOOP
        EXECUTE format('INSERT INTO %%I (%%s) OVERRIDING SYSTEM VALUE VALUES (%%s)', t.name, t.columns, t.row);
    END LOOP;
END $$`, "quote_literal('"+workspaceID+"')", "quote_literal('"+word+"')", number))
	require.NoError(t, err)
}

// tablesOf are the tables that have rows of a workspace, by the catalogue.
func tablesOf(t *testing.T, db *models.DB, workspaceID string) (found []string) {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), `SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'workspace_id' ORDER BY table_name`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, table := range tables {
		var there bool
		require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM `+table+` WHERE workspace_id = $1)`, workspaceID).Scan(&there))
		if there {
			found = append(found, table)
		}
	}
	return found
}

// Nothing is left of a workspace but rows of the audit, whatever fails on the way, and nothing of
// another one is gone.
func TestDeleteWorkspace_2_NothingIsLeft(t *testing.T) {
	s := modelstest.NewTenants(t)
	db := s.DB
	gone, stays := s.Create(t, "gone@example.com"), s.Create(t, "stays@example.com")
	withRows(t, db, gone.ID, "x", 1)
	withRows(t, db, stays.ID, "y", 2)
	before := tablesOf(t, db, stays.ID)
	require.Greater(t, len(before), 50)
	require.Equal(t, before, tablesOf(t, db, gone.ID))

	stores := models.NewStores(db, s.Box, models.Options{})
	id, err := stores.Deletions.Accept(t.Context(), gone.ID, "ann")
	require.NoError(t, err)
	_, err = stores.Deletions.Accept(t.Context(), gone.ID, "ann")
	require.Error(t, err, "it is deleted")
	again := s.Create(t, "gone@example.com")
	require.Equal(t, gone.Name, again.Name, "name and address are free")
	batch, err := stores.Queue.Claim(t.Context(), queue.Jobs, "", 10)
	require.NoError(t, err)
	for _, c := range batch.Rows {
		require.NotEqual(t, id, c.Key, "requests may be under way")
	}
	_, err = db.Pool.Exec(t.Context(), `UPDATE work SET run_at = clock_timestamp() WHERE key = $1`, id)
	require.NoError(t, err)
	batch, err = stores.Queue.Claim(t.Context(), queue.Jobs, "", 10)
	require.NoError(t, err)
	require.Len(t, batch.Rows, 1, "the work of a deleted workspace waits, its removal does not")
	require.Equal(t, id, batch.Rows[0].Key)

	o := &outside{failed: map[string]bool{}, open: 1}
	begun, err := stores.Jobs.Begin(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, begun)
	for more := true; more; {
		removal := &jobs.WorkspaceRemoval{ // as of another process each time
			Rows: stores.Deletions, Runs: o, Index: o, Generations: o, Files: o, Deleted: stores.Deleted, Contents: stores.Annotations,
		}
		_, more, err = removal.Remove(t.Context(), begun)
		if errors.Is(err, errOnce) {
			more = true
			continue
		}
		require.NoError(t, err)
	}
	state, err := stores.Jobs.Complete(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "completed", state)
	left := tablesOf(t, db, gone.ID)
	require.Subset(t, []string{"audit_rows", "storage_changes"}, left, "changes are moved away every two seconds")
	found, err := stores.Deletions.Left(t.Context(), gone.ID)
	require.NoError(t, err)
	require.Empty(t, found)
	require.Equal(t, before, tablesOf(t, db, stays.ID))
	require.Contains(t, o.files, "x")
	require.Contains(t, o.files, "sources/"+gone.ID+"/x/v1/canonical.md")
	require.Contains(t, o.schedules, "x")
	require.Subset(t, o.tenants, []string{"g1 " + gone.ID, "g2 " + gone.ID})
	require.Zero(t, o.open)
}
