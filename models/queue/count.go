package queue

import (
	_ "embed"

	"github.com/jackc/pgx/v5"
)

//go:embed count.sql
var countStatement string

// Count returns the question how many rows of a kind are due, up to most, and for how many
// seconds the oldest of them waits that has a place in its group and nobody who works on it,
// NULL for none. What fails waits since it has failed for the first time.
func Count(kind Kind, most int) (statement string, args []any) {
	return countStatement, []any{pgx.NamedArgs{"kind": kind, "most": most, "per_group": kind.Rule().PerGroup}}
}
