package queue

import "github.com/jackc/pgx/v5"

// ClaimStatement is the statement of a claim, with its arguments.
func ClaimStatement(kind Kind, most int) (statement string, args []any) {
	return claimStatement, []any{pgx.NamedArgs{
		"kind": kind, "after": "", "most": most, "per_group": kind.Rule().PerGroup, "lock": kind.Rule().Lock, "owner": "somebody",
	}}
}
