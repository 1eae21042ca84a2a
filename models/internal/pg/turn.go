package pg

import "fmt"

// Turn is the text of a common table expression, turn (id), that walks over ids in
// their order, from the one behind after on and round again to it. next gives the
// text of a query for the smallest id behind another one: one look at an index. The
// walk goes as far as it is read, so whoever limits it pays for what is taken and
// not for how many there are. It stands behind WITH RECURSIVE.
func Turn(after string, next func(behind string) string) string {
	first := next("''")
	return fmt.Sprintf(`turn (id) AS (
    SELECT coalesce((%s), (%s))
    UNION
    SELECT coalesce((%s), (%s)) FROM turn t WHERE t.id IS NOT NULL
)`, next(after), first, next("t.id"), first)
}
