package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/worker"
)

func (a *admin) temporalCommand() *cobra.Command {
	resync := &cobra.Command{
		Use:   "resync",
		Short: "Queue everything that is not finished for Temporal",
		Long: `Queue everything that is not finished for Temporal: after a backup was restored,
or after Temporal lost its namespace. What already runs there is left alone, and the
command may be repeated. The workers need not run: they find the queue when they start.
Versions of sources and jobs (migrations, removals, detections, recoveries) are offered again every half
minute and stay queued. Every enabled schedule is written into Temporal again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.resync(cmd.Context()) },
	}
	return area("temporal", "Temporal", resync, a.failingCommand())
}

func (a *admin) failingCommand() *cobra.Command {
	least := worker.UsualAttempts + 1
	failing := &cobra.Command{
		Use:   "failing",
		Short: "List the activities that are tried again and again",
		Long: `List the activities of open runs that are tried again and again, with the number of the
newest try and the type of the last failure: a status, a word like embedding-model-changed,
PANIC, or a limit of time. The log of the workers has the cause, by workflow_id. Every open run is looked at, so where very many
are open this takes minutes; it changes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listFailing(cmd.Context(), least) },
	}
	failing.Flags().IntVar(&least, "attempts", least, "the least number of the newest try")
	return failing
}

// listFailing asks Temporal, not the rows.
func (a *admin) listFailing(ctx context.Context, least int) error {
	if a.config.Temporal.Addr == "" {
		return errors.New("REDLINE_TEMPORAL_ADDR: is required")
	}
	secure, err := temporalTLS(a.config.Temporal)
	if err != nil {
		return err
	}
	found, err := worker.FindFailing(ctx, worker.Options{
		Address: a.config.Temporal.Addr, Namespace: a.config.Temporal.Namespace, TLS: secure,
		Log: slog.New(slog.NewTextHandler(a.asked, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}, least)
	if err != nil {
		return err
	}
	return a.print(found, func(w io.Writer) {
		for _, f := range found {
			_, _ = fmt.Fprintf(w, "%s\t%s\tattempt %d\t%s\tsince %s\n",
				f.WorkflowID, f.Activity, f.Attempt, f.LastFailure, f.ScheduledAt.UTC().Format(time.RFC3339))
		}
	})
}

// resynced counts what was queued.
type resynced struct {
	Executions   int `json:"executions"`
	Destinations int `json:"destinations"`
	Schedules    int `json:"schedules"`
}

// resync queues executions; destinations are read as they stand by whoever starts
// them, so asking the workers to look at all of them is enough.
func (a *admin) resync(ctx context.Context) error {
	if err := a.operator().Note(ctx, "admin temporal resync"); err != nil {
		return err
	}
	stores, hints := models.NewStores(a.db, a.box, models.Options{}), notifier.New(a.db)
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
		a.db.Notify(notifier.Destinations, d.DestinationID)
	}
	if found.Schedules, err = stores.Definitions.QueueSchedules(ctx); err != nil {
		return err
	}
	hints.Flush(ctx)
	return a.print(found, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "executions\t%d\ndestinations\t%d\nschedules\t%d\n", found.Executions, found.Destinations, found.Schedules)
	})
}
