package quota

import (
	"context"
	_ "embed"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Counts are how many a workspace has of what is limited by number. Set is what an operator has set for
// it, by the names of limits.
type Counts struct {
	Endpoints, KeysTesting, KeysProduction, Sources, LiveExecutions int64
	// Mails are those of today, MailsRelayed those that the operator's relay served for the free plan;
	// Relayed says that this is the way of the workspace.
	Mails, MailsRelayed int64
	Relayed             bool
	Set                 map[string]int64
}

//go:embed counts.sql
var readCounts string

// Counts counts what a workspace has.
func (q *Quotas) Counts(ctx context.Context, workspaceID string) (Counts, error) {
	c := Counts{Set: map[string]int64{}}
	err := q.db.Pool.QueryRow(ctx, readCounts, workspaceID).
		Scan(&c.Endpoints, &c.KeysTesting, &c.KeysProduction, &c.Sources, &c.LiveExecutions, &c.Set, &c.Mails, &c.MailsRelayed, &c.Relayed)
	return c, pg.Translate(err)
}
