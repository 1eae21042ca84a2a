package list

import (
	"fmt"

	"github.com/redline-svc/redline/models/internal/pg"
)

// AnswerLimit is how many bytes of text the items of one answer have together; a
// page always has at least one item.
const AnswerLimit = 8 << 20

// First is the statement of a page: the first rows of a query that ends in a
// condition, narrowed by q, one more than the page has. That one only says that
// another page follows.
func (o Order) First(q *pg.Conditions, query string, size int) string {
	return query + q.Text() + " ORDER BY " + o.String() + " LIMIT " + q.Value(size+1)
}

// Fit is the statement of a page that is cut in the database: of the rows p of a
// statement that First made, as many as the page has and an answer holds. Sizes,
// given by bytes for each row, are summed up before anything large is sent. The
// columns of the order are those of the statement. Behind the columns of a row
// stand how many rows were found (Found.Count), its place and the total.
func (o Order) Fit(q *pg.Conditions, rows, bytes string, size int) string {
	return fmt.Sprintf(`
SELECT * FROM (
    SELECT p.*, count(*) OVER () AS found, row_number() OVER walk AS place, sum(%s) OVER walk AS total FROM (%s) p WINDOW walk AS (ORDER BY %s)
) p WHERE p.place <= %s AND (p.total <= %s OR p.place = 1) ORDER BY p.place`, bytes, rows, o.In("p"), q.Value(size), q.Value(AnswerLimit))
}
