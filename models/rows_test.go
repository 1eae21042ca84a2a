package models_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm/schema"

	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/group"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/notification"
	"github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/person"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/workspace"
)

// columnTypes are the types that a field has for a column's.
var columnTypes = map[string]reflect.Type{
	"text": reflect.TypeFor[string](), "boolean": reflect.TypeFor[bool](),
	"smallint": reflect.TypeFor[int16](), "integer": reflect.TypeFor[int](), "bigint": reflect.TypeFor[int64](),
	"double precision": reflect.TypeFor[float64](),
	"date":             reflect.TypeFor[time.Time](), "timestamp with time zone": reflect.TypeFor[time.Time](),
	"bytea": reflect.TypeFor[[]byte](), "json": reflect.TypeFor[[]byte](), "jsonb": reflect.TypeFor[[]byte](),
	"ARRAY": reflect.TypeFor[pg.Texts](),
}

// column is a column of a table as a field of a row says it. Nullable is a pointer,
// of a slice, which is nil for NULL, the lack of the tag "not null".
type column struct {
	Name     string
	Type     reflect.Type
	Nullable bool
}

// schemaTables are the tables of a database, but for the one of the migrations.
func schemaTables(t *testing.T, db *pg.DB) map[string][]column {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), `
SELECT table_name, column_name, data_type, is_nullable = 'YES' FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'goose_db_version' ORDER BY table_name, ordinal_position`)
	require.NoError(t, err)
	tables := map[string][]column{}
	var table, kind string
	var c column
	_, err = pgx.ForEachRow(rows, []any{&table, &c.Name, &kind, &c.Nullable}, func() error {
		c.Type = columnTypes[kind]
		require.NotNil(t, c.Type, "the type %s of %s.%s", kind, table, c.Name)
		tables[table] = append(tables[table], c)
		return nil
	})
	require.NoError(t, err)
	return tables
}

// columnsOf are the columns that a field of a row stands for.
func columnsOf(row *schema.Schema) []column {
	var columns []column
	for _, f := range row.Fields {
		nullable := f.FieldType.Kind() == reflect.Pointer || f.FieldType.Kind() == reflect.Slice && !f.NotNull
		columns = append(columns, column{Name: f.DBName, Type: f.IndirectFieldType, Nullable: nullable})
	}
	return columns
}

// takesProcessTime reports fields that GORM would fill by the clock of the process:
// times of rows are those of Postgres, or of the interpreter.
func takesProcessTime(f *schema.Field) bool {
	return f.AutoUpdateTime > 0 || f.AutoCreateTime > 0 && !f.HasDefaultValue
}

func TestRowsFitTheSchema(t *testing.T) {
	t.Parallel()
	tables := schemaTables(t, pgtest.New(t))
	require.NotEmpty(t, tables)
	rows := slices.Concat(
		workspace.Rows(), directory.Rows(), group.Rows(), delivery.Rows(), mail.Rows(), notification.Rows(), judgment.Rows(), pattern.Rows(), subject.Rows(),
		definition.Rows(), execution.Rows(), agent.Rows(), annotation.Rows(), activity.Rows(), knowledge.Rows(), job.Rows(), person.Rows(),
	)
	for _, row := range rows {
		parsed, err := schema.Parse(row, &sync.Map{}, schema.NamingStrategy{})
		require.NoError(t, err)
		require.Contains(t, tables, parsed.Table, "no table has the row %s, or another row has it too", parsed.Name)
		require.ElementsMatch(t, tables[parsed.Table], columnsOf(parsed), parsed.Table)
		require.False(t, slices.ContainsFunc(parsed.Fields, takesProcessTime), "a time of %s is none of Postgres", parsed.Table)
		delete(tables, parsed.Table)
	}
	// These have SQL by hand alone: their rows are claimed, counted and removed by sets.
	for _, bySets := range []string{"work", "storage_use", "storage_changes", "storage_counts", "relay_uses", "erasures", "erased_marks"} {
		delete(tables, bySets)
	}
	require.Empty(t, tables, "tables without a row")
}
