package quota

import (
	"context"
	_ "embed"
	"errors"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/internal/pg"
)

type holdKey struct{}

// Hold returns a context whose transactions are undone where they add to what their workspace
// (slots.For) keeps and a quota of it is used up.
func Hold(ctx context.Context) context.Context { return context.WithValue(ctx, holdKey{}, true) }

// Closed reports whether transactions of a context are to be checked: it is under Hold, and of
// a workspace that had used up a quota at the last look.
func (q *Quotas) Closed(ctx context.Context) bool {
	full := *q.full.Load()
	return len(full) > 0 && ctx.Value(holdKey{}) != nil && full[slots.WorkspaceOf(ctx)]
}

//go:embed check.sql
var check string

// Check refuses a transaction that adds to what its workspace keeps while the quota is used
// up. Error: RESOURCE_EXHAUSTED storage-quota.
func (q *Quotas) Check(ctx context.Context, tx *pg.Tx) error {
	var use Use
	err := tx.QueryRow(ctx, check, q.args(slots.WorkspaceOf(ctx))).Scan(&use.Kind, &use.Bytes, &use.Limit)
	if pg.IsNoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return refusal(use)
}

// reason is that of what is refused.
const reason = "storage-quota"

// Refused reports whether an error is that a quota is used up.
func Refused(err error) bool {
	known, is := errors.AsType[*fault.Error](err)
	return is && known.Reason == reason
}

// refusal names what is used up. No time lifts it.
func refusal(use Use) error {
	what := map[Kind]string{Files: "its files", Rows: "what it has stored"}[use.Kind]
	f := fault.ResourceExhausted(reason,
		"the workspace keeps as many bytes as it may of "+what+"; delete some of it, or have the quota raised", 0)
	f.Details.Kind, f.Details.UsedBytes, f.Details.LimitBytes = string(use.Kind), use.Bytes, use.Limit
	return f
}
