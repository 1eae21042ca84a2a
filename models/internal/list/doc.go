// Package list is how lists are read: their order, their pages and the positions
// between these.
//
// A list has an Order as a variable. Both the text of ORDER BY and the condition
// for what stands behind a position come from it, and its index has the same
// columns. Its position holds one value for each column: a Position where these
// are a time and an id, a number where it is one, else a small struct in the
// package of the list. Positions travel as sealed cursors, which outlive an
// update: the names in their JSON stay. A new list is this:
//
//	type Page = list.Page[View, Position]
//
//	var newest = list.Descending("n.created_at", "n.id")
//
//	func (s *Notes) List(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
//		q := pg.NewConditions(workspaceID)
//		q.Equal("n.author", f.Author)
//		if after != nil {
//			newest.After(q, after.Values()...)
//		}
//		query := newest.First(q, `SELECT n.id, n.text, n.created_at FROM notes n WHERE n.workspace_id = $1`, size)
//		rows, err := s.db.Pool.Query(ctx, query, q.Args...)
//		if err != nil {
//			return nil, pg.Translate(err)
//		}
//		var found list.Found[View, Position]
//		if err := found.Collect(scanNote)(rows); err != nil { // scanNote gives the view and its position
//			return nil, pg.Translate(err)
//		}
//		found.Cut(size)
//		return found.Page(), nil
//	}
//
// First reads one row more than the page has, which Cut takes away: Page gives a
// next position whenever rows were found behind the last item, whoever cut them.
//   - Items may be large, and their sizes are known before they are read: Fit wraps
//     the statement and cuts it in the database at AnswerLimit. Scan its column
//     found into Found.Count; there is nothing left to cut.
//   - Sizes are known once the rows are read: Found.CutBytes.
//   - GORM reads the rows: Order.Scope has the order and the condition, and Found.Add
//     takes the rows.
//   - The list can also be asked for by ids, with a slot for each: Pager and CutPage.
//   - It is walked both ways: TwoWay is the whole read.
//
// The texts of orders and queries are ours, never a caller's. This package must
// not know any table, and imports no package of the models but models/internal/pg.
package list
