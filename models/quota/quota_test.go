package quota_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/person"
	"github.com/redline-svc/redline/models/quota"
	"github.com/redline-svc/redline/models/workspace"
)

// limit is what a workspace may keep of rows in the tests.
const limit = 100_000

// kept is a database with a gate, and a workspace in it.
type kept struct {
	*modelstest.Tenants

	t         *testing.T
	quotas    *quota.Quotas
	workspace string
}

// newKept is for tests that run in parallel.
func newKept(t *testing.T) *kept {
	t.Helper()
	k := &kept{Tenants: modelstest.NewTenants(t), t: t}
	k.quotas = quota.New(k.DB, quota.Limits{quota.Rows: {Free: limit, Paid: 10 * limit}, quota.Messages: {Free: limit}})
	k.DB.SetGate(k.quotas)
	k.workspace = k.Create(t, "owner@example.com").ID
	return k
}

// write runs a statement as a call of the workspace does.
func (k *kept) write(ctx context.Context, sql string, args ...any) error {
	return k.DB.InTx(slots.For(ctx, &k.workspace), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
}

const addOrganizations = `INSERT INTO organizations (workspace_id, organization_id, name)
SELECT $1, n::text, $3 FROM generate_series(1, $2) AS n ON CONFLICT DO NOTHING`

// fill adds organizations of 1,000 bytes or a little more, without asking for a quota.
func (k *kept) fill(count int) {
	k.t.Helper()
	require.NoError(k.t, k.write(k.t.Context(), addOrganizations, k.workspace, count, strings.Repeat("n", 1000)))
}

func (k *kept) refresh() {
	k.t.Helper()
	require.NoError(k.t, k.quotas.Refresh(k.t.Context()))
}

// used is what the workspace keeps of a kind.
func (k *kept) used(kind quota.Kind) int64 {
	k.t.Helper()
	found, err := k.quotas.Usage(k.t.Context(), k.workspace)
	require.NoError(k.t, err)
	require.Len(k.t, found.Uses, 3)
	for _, use := range found.Uses {
		if use.Kind == kind {
			return use.Bytes
		}
	}
	require.Fail(k.t, "no such kind")
	return 0
}

// shown is what the rows of the workspace have together.
func (k *kept) shown() (bytes int64) {
	k.t.Helper()
	rows, err := k.DB.Pool.Query(k.t.Context(), `SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'count_added'`)
	require.NoError(k.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(k.t, err)
	for _, table := range tables {
		var own int64
		require.NoError(k.t, k.DB.Pool.QueryRow(k.t.Context(), `SELECT coalesce(sum(octet_length(record_send(r))), 0) FROM `+table+` r WHERE workspace_id = $1`, k.workspace).Scan(&own))
		bytes += own
	}
	return bytes
}

func TestWhatIsAddedChangedAndRemovedIsCounted(t *testing.T) {
	k := newKept(t)
	begin := k.used(quota.Rows)
	require.Positive(t, begin, "a workspace has a key and its token")
	k.fill(10)
	require.InDelta(t, 10_000, k.used(quota.Rows)-begin, 2_000, "before anybody has moved it")
	k.refresh()
	require.Equal(t, k.shown(), k.used(quota.Rows))
	require.NoError(t, k.write(t.Context(), `UPDATE organizations SET name = 'short' WHERE workspace_id = $1 AND organization_id = '1'`, k.workspace))
	k.refresh()
	require.Equal(t, k.shown(), k.used(quota.Rows))
	require.NoError(t, k.write(t.Context(), `DELETE FROM organizations WHERE workspace_id = $1`, k.workspace))
	k.refresh()
	require.Equal(t, begin, k.used(quota.Rows))
}

// A call that adds is undone once the quota is used up; one that adds nothing, that removes or
// that is not held goes on. What is removed counts at once.
func TestAnAddIsUndoneWhereTheQuotaIsUsedUp(t *testing.T) {
	k := newKept(t)
	k.fill(110)
	held := quota.Hold(t.Context())
	require.NoError(t, k.write(held, `INSERT INTO organizations (workspace_id, organization_id, name) VALUES ($1, 'soon', '')`, k.workspace), "nobody has looked yet")
	k.refresh()

	err := k.write(held, `INSERT INTO organizations (workspace_id, organization_id, name) VALUES ($1, 'more', '')`, k.workspace)
	var refused *fault.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, fault.StatusResourceExhausted, refused.Status)
	require.Equal(t, "storage-quota", refused.Reason)
	require.Zero(t, refused.RetryAfter)
	require.Equal(t, fault.Details{Kind: "rows", UsedBytes: k.used(quota.Rows), LimitBytes: limit}, refused.Details)
	require.Equal(t, k.shown(), k.used(quota.Rows), "nothing of it is left")

	require.NoError(t, k.write(held, addOrganizations, k.workspace, 1, "known"), "it adds nothing")
	require.NoError(t, k.write(t.Context(), `INSERT INTO organizations (workspace_id, organization_id, name) VALUES ($1, 'way', '')`, k.workspace))
	other := k.Create(t, "other@example.com").ID
	require.NoError(t, k.DB.InTx(slots.For(held, &other), func(tx *pg.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO organizations (workspace_id, organization_id, name) VALUES ($1, 'own', '')`, other)
		return err
	}))

	require.NoError(t, k.write(held, `DELETE FROM organizations WHERE workspace_id = $1 AND organization_id <> 'soon'`, k.workspace))
	require.NoError(t, k.write(held, `INSERT INTO organizations (workspace_id, organization_id, name) VALUES ($1, 'room', '')`, k.workspace))
}

func TestAPlanAndAnOperatorSetTheLimit(t *testing.T) {
	k := newKept(t)
	k.fill(110)
	k.refresh()
	held := quota.Hold(t.Context())
	add := func(id string) error {
		return k.write(held, `INSERT INTO organizations (workspace_id, organization_id, name) VALUES ($1, $2, '')`, k.workspace, id)
	}
	require.Error(t, add("free"))
	require.NoError(t, k.Operator.SetPlan(t.Context(), k.workspace, workspace.PlanPaid))
	require.NoError(t, add("paid"))
	low := 1000
	require.NoError(t, k.Operator.SetLimit(t.Context(), k.workspace, workspace.LimitRows, &low))
	k.refresh()
	require.Error(t, add("low"))
	require.NoError(t, k.write(held, `UPDATE organizations SET name = '' WHERE workspace_id = $1`, k.workspace), "below its use, what is there may shrink")
	none := 0
	require.NoError(t, k.Operator.SetLimit(t.Context(), k.workspace, workspace.LimitRows, &none))
	require.NoError(t, add("none"))
}

// The nightly count mends what is wrong, while others write.
func TestTheNightlyCountMendsTheCounter(t *testing.T) {
	k := newKept(t)
	k.fill(10)
	k.refresh()
	require.NoError(t, k.quotas.CountNightly(t.Context()))
	_, err := k.DB.Pool.Exec(t.Context(), `UPDATE storage_use SET bytes = 5 WHERE kind = 'rows'`)
	require.NoError(t, err)
	_, err = k.DB.Pool.Exec(t.Context(), `INSERT INTO storage_use (workspace_id, kind, bytes) VALUES ($1, 'files', 77)`, k.workspace)
	require.NoError(t, err)
	k.fill(20)
	require.NotEqual(t, k.shown(), k.used(quota.Rows))
	require.NoError(t, k.quotas.CountNightly(t.Context()))
	require.NotEqual(t, k.shown(), k.used(quota.Rows), "it has counted tonight")
	_, err = k.DB.Pool.Exec(t.Context(), `UPDATE storage_counts SET due_at = now()`)
	require.NoError(t, err)
	require.NoError(t, k.quotas.CountNightly(t.Context()))
	require.Equal(t, k.shown(), k.used(quota.Rows))
	require.Zero(t, k.used(quota.Files))
	k.refresh()
	require.Equal(t, k.shown(), k.used(quota.Rows))
	largest, err := k.quotas.Largest(t.Context())
	require.NoError(t, err)
	require.Equal(t, k.used(quota.Rows), largest[quota.Rows])
}

// The file of an export counts until it goes, and an open one as what is reserved for it; the nightly count finds the same.
func TestWhatIsExportedCountsAsFiles(t *testing.T) {
	k := newKept(t)
	k.fill(1)
	require.NoError(t, k.write(t.Context(), `INSERT INTO jobs (id, workspace_id, kind, input) VALUES ('exp_1', $1, 'export', '{}')`, k.workspace))
	for _, c := range []struct {
		statement string
		bytes     int64
	}{
		{`INSERT INTO exports (id, workspace_id, organization_key, user_id) SELECT 'exp_1', $1, key, 'ann' FROM organizations WHERE workspace_id = $1`, person.ReservedForExport},
		{`UPDATE exports SET open = false, blob_key = 'k', ready_at = now(), file_size = 500 WHERE workspace_id = $1`, 500},
		{`UPDATE exports SET blob_key = NULL WHERE workspace_id = $1`, 0},
		{`UPDATE exports SET blob_key = 'k' WHERE workspace_id = $1`, 500},
		{`DELETE FROM jobs WHERE workspace_id = $1`, 0},
	} {
		require.NoError(t, k.write(t.Context(), c.statement, k.workspace))
		require.Equal(t, c.bytes, k.used(quota.Files), c.statement)
		require.NoError(t, k.quotas.Count(t.Context()))
		require.Equal(t, c.bytes, k.used(quota.Files), "counted, %s", c.statement)
	}
}

// leftOut are the tables of which nothing is counted: what they hold is no caller's to fill, or is
// counted by another kind.
var leftOut = map[string]string{
	"audit_rows": "audit",
	"work":       "queue", "jobs": "queue", "document_migrations": "queue", "recoveries": "queue", "destinations": "queue",
	"notification_portions": "queue", "judgment_index": "queue", "index_copies": "queue", "index_uses": "queue", "unclaimed_files": "queue", "pattern_runs": "queue",
	"erased_marks":    "queue",
	"limit_overrides": "set by an operator",
	"storage_use":     "counter", "storage_changes": "counter",
	"message_bodies": "counted by the day",
}

func TestEveryTableIsCountedOrNamed(t *testing.T) {
	k := newKept(t)
	rows, err := k.DB.Pool.Query(t.Context(), `
SELECT c.oid::regclass::text, EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND g.tgname = 'count_added')
   AND EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND g.tgname = 'count_removed')
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`)
	require.NoError(t, err)
	var table string
	var counted bool
	_, err = pgx.ForEachRow(rows, []any{&table, &counted}, func() error {
		_, out := leftOut[table]
		require.NotEqual(t, counted, out, "%s is counted by triggers, or stands among those that are left out", table)
		return nil
	})
	require.NoError(t, err)
}
