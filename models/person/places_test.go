package person

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// textColumns are the columns that can hold a text: numbers, times, truths, words of a domain and keyed hashes cannot.
const textColumns = `
SELECT c.table_name || '.' || c.column_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.domain_name IS NULL AND c.table_name NOT LIKE 'goose%' AND c.column_name <> 'workspace_id'
      AND (c.data_type IN ('text', 'json', 'jsonb', 'bytea') OR c.udt_name IN ('_text', '_json', '_jsonb'))
ORDER BY 1`

func TestEveryColumnOfTheSchemaHasALine(t *testing.T) {
	t.Parallel()
	rows, err := pgtest.New(t).Pool.Query(t.Context(), textColumns)
	require.NoError(t, err)
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, columns, listed(t), "each column that can hold a text is either one with people, and says what becomes of them, or holds no person")
}

// listed are all columns of the list, each once.
func listed(t *testing.T) (all []string) {
	for _, p := range places {
		for _, c := range p.columns {
			all = append(all, p.table+"."+c.name)
		}
	}
	for name := range elsewhere {
		all = append(all, name)
	}
	for table, columns := range impersonal {
		for _, c := range columns {
			all = append(all, table+"."+c)
		}
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		require.NotEqual(t, all[i-1], all[i], "a column is on the list twice")
	}
	return all
}

func TestWhatMayNameSomebodyIsLookedAt(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, c := range []struct {
		said, mark string
		may        bool
	}{
		{`{"by":"Ann"}`, "Ann", true},
		{`{"by":"Bob"}`, "Ann", false},
		{`{"icon":"\u003csvg\u003e","text":"a\nb \"c\""}`, "Ann", false},
		{`{"by":"A\u006en"}`, "Ann", true},
		{`{"by":"A\u0026B"}`, "A&B", true},
		{`{"at":"https:\/\/a.test\/b"}`, "https://a.test/b", true},
		{`{"by":"Ann \"A\" B"}`, `Ann "A" B`, true},
		{`{"by":"a\\b"}`, `a\b`, true},
		{`{"by":"Ann \u003cA\u003e"}`, "Ann <A>", true},
	} {
		var may bool
		require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT may_name($1, ARRAY[$2])`, c.said, c.mark).Scan(&may))
		require.Equal(t, c.may, may, "%s in %s", c.mark, c.said)
	}
}
