package subject_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/subject"
)

func TestWithinKeepsWhatIsAboutNothingOrAboutWhatWasAskedFor(t *testing.T) {
	p := newPapers(t)
	for i, about := range [][2]string{{"", ""}, {"acme", ""}, {"acme", "spring"}, {"acme", "summer"}, {"apex", ""}, {"apex", "spring"}, {"acme", "before"}} {
		p.writes(int64(i), about[0], about[1])
	}
	p.rename("before", "spring")
	for _, c := range []struct {
		organizationID, documentID string
		want                       []int64
	}{
		{"", "", []int64{0, 1, 2, 3, 4, 5, 6}},
		{"acme", "", []int64{0, 1, 2, 3, 6}},
		{"acme", "spring", []int64{0, 1, 2, 6}},
		{"acme", "before", []int64{0, 1}},
		{"nobody", "spring", []int64{0}},
	} {
		q := pg.NewConditions(modelstest.Workspace)
		subject.Within(q, "organization_key", "document_key", c.organizationID, c.documentID)
		rows, err := p.db.Pool.Query(t.Context(), `SELECT n FROM papers WHERE $1 <> ''`+q.Text()+` ORDER BY n`, q.Args...)
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		require.NoError(t, err)
		require.Equal(t, c.want, found, "%+v", c)
	}
}
