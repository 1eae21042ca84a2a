package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/nudge"
)

func (a *admin) engineCommand() *cobra.Command {
	resync := &cobra.Command{
		Use:   "resync",
		Short: "Mark everything that is not finished as owed to the engine",
		Long: `Mark everything that is not finished as owed to the engine: after a backup was restored,
or after the engine lost its namespace. What already runs there is left alone, and the
command may be repeated. The workers need not run: they find the marks when they start.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.resync(cmd.Context()) },
	}
	return area("engine", "The workflow engine", resync)
}

// resynced counts what was marked.
type resynced struct {
	Executions   int `json:"executions"`
	Destinations int `json:"destinations"`
}

// resync marks executions; destinations are read as they stand by whoever wakes
// them, so asking the workers to look at all of them is enough.
func (a *admin) resync(ctx context.Context) error {
	if err := a.operator().Note(ctx, "admin engine resync"); err != nil {
		return err
	}
	stores := models.NewStores(a.db, a.box, models.Options{})
	var found resynced
	var err error
	if found.Executions, err = stores.Executions.Resync(ctx); err != nil {
		return err
	}
	open, err := stores.Deliveries.Open(ctx)
	if err != nil {
		return err
	}
	found.Destinations = len(open)
	for _, d := range open {
		a.db.Wake(nudge.Destinations, d.DestinationID)
	}
	stores.Nudges.Flush(ctx)
	return a.print(found, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "executions\t%d\ndestinations\t%d\n", found.Executions, found.Destinations)
	})
}
