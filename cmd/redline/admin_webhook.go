package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/workspace"
)

func (a *admin) webhookCommand() *cobra.Command {
	workspaceID := ""
	pending := &cobra.Command{
		Use:   "pending",
		Short: "List where deliveries wait: endpoints, receivers of executions and mails",
		Long: `List where deliveries wait or are under way: the endpoints of a workspace, the receivers of
its executions and its mails, with how many these are and when the next is due. It changes
nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listPending(cmd.Context(), workspaceID) },
	}
	pending.Flags().StringVar(&workspaceID, "workspace", "", "only this workspace")
	resend := &cobra.Command{
		Use:   "resend <workspace> <endpoint> [message]",
		Short: "Send an endpoint a message again, or all that waits for it now",
		Long: `Send an endpoint, named by its id or uid, a message again whatever has become of it, or,
without a message, all that waits for it now instead of at the next time of its schedule.
What is sent again keeps its webhook-id, so a receiver knows what it has seen. The command
may be repeated.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error { return a.resend(cmd.Context(), args) },
	}
	return area("webhook", "What endpoints, receivers and mail relays wait for", pending, resend)
}

func (a *admin) listPending(ctx context.Context, workspaceID string) error {
	found, err := models.NewStores(a.db, a.box, models.Options{}).Deliveries.Waiting(ctx, workspaceID)
	if err != nil {
		return err
	}
	return a.print(found, func(w io.Writer) {
		_, _ = fmt.Fprintln(w, "WORKSPACE\tDESTINATION\tKIND\tDELIVERIES\tNEXT")
		for _, d := range found {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", d.WorkspaceID, d.DestinationID, d.Kind, d.Deliveries, orDash(d.NextAttemptAt))
		}
	})
}

// resent counts what was made due.
type resent struct {
	EndpointID string `json:"endpointId"`
	Deliveries int    `json:"deliveries"`
}

func (a *admin) resend(ctx context.Context, args []string) error {
	stores, hints := models.NewStores(a.db, a.box, models.Options{}), notifier.New(a.db)
	caller := workspace.Caller{WorkspaceID: args[0], Person: a.person, Operation: "admin webhook resend"}
	done := resent{Deliveries: 1}
	var err error
	if len(args) == 3 {
		done.EndpointID, err = stores.Endpoints.Resend(ctx, args[0], caller, args[2], args[1])
	} else {
		done.EndpointID, done.Deliveries, err = stores.Endpoints.ResendWaiting(ctx, args[0], caller, args[1])
	}
	if err != nil {
		return err
	}
	hints.Flush(ctx)
	return a.print(done, func(w io.Writer) { _, _ = fmt.Fprintf(w, "deliveries\t%d\n", done.Deliveries) })
}
