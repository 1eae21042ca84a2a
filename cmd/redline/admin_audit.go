package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/models/workspace"
)

// auditDefault is how many rows are shown unless told otherwise.
const auditDefault = 100

// auditQuery is what the flags of `redline admin audit` say.
type auditQuery struct {
	filter       workspace.AuditFilter
	since, until string
	limit        int
}

func (a *admin) auditCommand() *cobra.Command {
	q := &auditQuery{}
	cmd := &cobra.Command{
		Use: "audit", Short: "Read the audit trail, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := a.audit(cmd.Context(), q)
			if err != nil {
				return err
			}
			return a.print(rows, func(w io.Writer) { writeAudit(w, rows) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.filter.WorkspaceID, "workspace", "", "only of this workspace")
	flags.StringVar(&q.filter.Actor, "actor", "", "only of this key, workspace or person")
	flags.StringVar(&q.filter.Operation, "operation", "", "only of this operation")
	flags.StringVar(&q.since, "since", "", "only from this time on: 2026-01-31T12:00:00Z, or 24h for the last day")
	flags.StringVar(&q.until, "until", "", "only before this time, written likewise")
	flags.IntVar(&q.limit, "limit", auditDefault, "at most so many rows; 0 is all")
	return cmd
}

func (a *admin) audit(ctx context.Context, q *auditQuery) ([]workspace.Audit, error) {
	var err error
	if q.filter.Since, err = readTime("--since", q.since); err != nil {
		return nil, err
	}
	if q.filter.Until, err = readTime("--until", q.until); err != nil {
		return nil, err
	}
	audits, all := workspace.NewAudits(a.db), []workspace.Audit{}
	for {
		q.filter.Limit = adminPage
		if q.limit > 0 {
			q.filter.Limit = min(adminPage, q.limit-len(all))
		}
		page, err := audits.List(ctx, q.filter)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < q.filter.Limit || len(all) == q.limit {
			return all, nil
		}
		q.filter.Before = &all[len(all)-1]
	}
}

// readTime reads a time, or how long ago it was; empty is no time.
func readTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, usageError(flag + ": neither a time like 2026-01-31T12:00:00Z nor a duration like 24h")
	}
	return at, nil
}

func writeAudit(w io.Writer, rows []workspace.Audit) {
	_, _ = fmt.Fprintln(w, "AT\tACTOR\tOPERATION\tOUTCOME\tWORKSPACE\tTARGET\tFIELDS\tIP\tREQUEST")
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.At.Format(time.RFC3339), r.Actor, r.Operation,
			r.Outcome, r.WorkspaceID, r.TargetID, strings.Join(r.ChangedFields, ","), r.IP, r.RequestID)
	}
}
