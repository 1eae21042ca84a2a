package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/workspace"
)

func (a *admin) keysCommand() *cobra.Command {
	var look bool
	rewrap := &cobra.Command{
		Use:   "rewrap",
		Short: "Move every sealed value to the first encryption key and every hash to the first hash key",
		Long: `Move every sealed value to the first encryption key and every hash to the first hash key.
The service may run meanwhile. A run that was interrupted is simply started again.
When no row is left under an old key, the old key may be dropped.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.rewrap(cmd.Context(), look) },
	}
	rewrap.Flags().BoolVar(&look, "look", false, "only show how many rows stand under which key")
	return area("keys", "Encryption and hash keys", rewrap)
}

func (a *admin) rewrap(ctx context.Context, look bool) error {
	if err := workspace.CheckKeys(ctx, a.db, a.box); err != nil {
		return err
	}
	work := workspace.NewRewrap(a.db, a.box, models.AllSealedColumns)
	var failed error
	if !look {
		if err := a.operator().Note(ctx, "admin keys rewrap"); err != nil {
			return err
		}
		failed = work.Run(ctx, func(column workspace.SealedColumn, moved int) {
			_, _ = fmt.Fprintf(a.asked, "%s.%s: %d rows moved\n", column.Table, column.Column, moved)
		})
	}
	counts, err := work.Count(ctx)
	if err != nil {
		return err
	}
	if err := a.print(counts, func(w io.Writer) { writeCounts(w, counts) }); err != nil {
		return err
	}
	return failed
}

func writeCounts(w io.Writer, counts []workspace.KeyCount) {
	_, _ = fmt.Fprintln(w, "COLUMN\tKIND\tKEY\tROWS\tLEFT")
	for _, count := range counts {
		left := int64(0)
		if count.Left {
			left = count.Rows
		}
		_, _ = fmt.Fprintf(w, "%s.%s\t%s\t%s\t%d\t%d\n", count.Table, count.Column, count.Kind, count.KeyID, count.Rows, left)
	}
}
