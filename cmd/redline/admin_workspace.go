package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/deletion"
	"github.com/redline-svc/redline/models/quota"
	"github.com/redline-svc/redline/models/workspace"
)

// adminPage is how many rows one statement reads.
const adminPage = 500

func (a *admin) workspaceCommand() *cobra.Command {
	return area("workspace", "Workspaces",
		a.workspaceList(), a.workspaceShow(), a.workspaceSetPlan(),
		a.workspaceSwitch("suspend", "Close the interface for a workspace; executions and deliveries go on",
			"suspended", "Every call of this workspace will be refused.", (*workspace.Operator).Suspend),
		a.workspaceSwitch("stop", "Close the interface for a workspace and stop its work; what is under way ends",
			"stopped", "Every call of this workspace will be refused, and nothing of it will begin.", (*workspace.Operator).Stop),
		a.workspaceSwitch("resume", "Open the interface again, and let work go on", "resumed", "", (*workspace.Operator).Resume),
		a.workspaceResetToken(), a.workspaceDelete(),
		a.workspaceSwitch("release-email", "Free the e-mail address of a workspace that a stranger made or nobody uses",
			"address released", "It will count no more among the workspaces of its address, for good.", (*workspace.Operator).ReleaseEmail),
	)
}

func (a *admin) workspaceList() *cobra.Command {
	var owner string
	cmd := &cobra.Command{
		Use: "list", Short: "List workspaces, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := ownerKey(owner)
			if err != nil {
				return err
			}
			found, err := a.allWorkspaces(cmd.Context(), key)
			if err != nil {
				return err
			}
			return a.print(found, func(w io.Writer) { writeWorkspaces(w, found) })
		},
	}
	cmd.Flags().StringVar(&owner, "owner", "", "only those of this e-mail address")
	return cmd
}

func ownerKey(owner string) (string, error) {
	if owner == "" {
		return "", nil
	}
	address, err := email.Parse(owner)
	if err != nil {
		return "", usageError("--owner: " + err.Error())
	}
	return address.Key(), nil
}

func (a *admin) allWorkspaces(ctx context.Context, emailKey string) ([]workspace.Summary, error) {
	all := []workspace.Summary{}
	for {
		var after *workspace.Summary
		if len(all) > 0 {
			after = &all[len(all)-1]
		}
		page, err := a.operator().Workspaces(ctx, emailKey, after, adminPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < adminPage {
			return all, nil
		}
	}
}

func writeWorkspaces(w io.Writer, workspaces []workspace.Summary) {
	_, _ = fmt.Fprintln(w, "ID\tPLAN\tSTATE\tCREATED\tOWNER\tNAME")
	for _, s := range workspaces {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%q\n",
			s.ID, s.Plan, stateOf(s), s.CreatedAt.Format(time.RFC3339), s.OwnerEmail, s.Name)
	}
}

// stateOf is the state of a workspace and since when it has it, "-" for one that is open.
func stateOf(s workspace.Summary) string {
	switch {
	case s.DeletedAt != nil:
		return "deleted " + orDash(s.DeletedAt)
	case s.StoppedAt != nil:
		return "stopped " + orDash(s.StoppedAt)
	case s.SuspendedAt != nil:
		return "suspended " + orDash(s.SuspendedAt)
	default:
		return "-"
	}
}

func orDash(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.Format(time.RFC3339)
}

func (a *admin) workspaceShow() *cobra.Command {
	return &cobra.Command{
		Use: "show <workspace>", Short: "Show a workspace with its keys, its limits and how much it keeps", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			known, err := a.operator().Workspace(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			kept, err := quota.New(a.db, models.Storage(a.config.Quotas)).Usage(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			found := details{known, kept.Uses}
			return a.print(found, func(w io.Writer) { writeDetails(w, found) })
		},
	}
}

// details is a workspace with what it keeps.
type details struct {
	*workspace.Details

	Storage []quota.Use `json:"storage"`
}

func writeDetails(w io.Writer, found details) {
	writeWorkspaces(w, []workspace.Summary{found.Summary})
	_, _ = fmt.Fprintln(w, "\nKEPT\tBYTES\tLIMIT")
	for _, use := range found.Storage {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%s\n", use.Kind, use.Bytes, orNone(use.Limit))
	}
	_, _ = fmt.Fprintln(w, "\nKEY\tTYPE\tTOKEN\tDISABLED\tCREATED\tNAME")
	for _, key := range found.Keys {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%t\t%s\t%s\t%q\n",
			key.ID, key.Type, key.HasToken, orDash(key.DisabledAt), key.CreatedAt.Format(time.RFC3339), key.Name)
	}
	if len(found.Limits) > 0 {
		_, _ = fmt.Fprintln(w, "\nLIMIT\tVALUE")
	}
	for _, name := range workspace.LimitNames() {
		if value, set := found.Limits[name]; set {
			_, _ = fmt.Fprintf(w, "%s\t%d\n", name, value)
		}
	}
}

// orNone is a limit, none where 0 stands for that.
func orNone(limit int64) string {
	if limit == 0 {
		return "none"
	}
	return strconv.FormatInt(limit, 10)
}

func (a *admin) workspaceSetPlan() *cobra.Command {
	return &cobra.Command{
		Use: "set-plan <workspace> free|paid", Short: "Move a workspace to a plan, from the next request on", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] != workspace.PlanFree && args[1] != workspace.PlanPaid {
				return usageError("the plan is " + workspace.PlanFree + " or " + workspace.PlanPaid)
			}
			if err := a.operator().SetPlan(cmd.Context(), args[0], args[1]); err != nil {
				return err
			}
			return a.done(args[0], "plan "+args[1])
		},
	}
}

// workspaceSwitch makes a command that opens or closes a workspace; it asks
// when there is a warning.
func (a *admin) workspaceSwitch(word, short, past, warning string, change func(*workspace.Operator, context.Context, string) error) *cobra.Command {
	return a.switchCommand(word+" <workspace>", short, past, warning, change)
}

func (a *admin) switchCommand(use, short, past, warning string, change func(*workspace.Operator, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if warning != "" {
				if err := a.confirm(args[0] + ": " + warning); err != nil {
					return err
				}
			}
			if err := change(a.operator(), cmd.Context(), args[0]); err != nil {
				return err
			}
			return a.done(args[0], past)
		},
	}
}

func (a *admin) workspaceResetToken() *cobra.Command {
	return &cobra.Command{
		Use: "reset-token <workspace>", Short: "Replace a workspace's own token and print the new one", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.confirm(args[0] + ": its present token will be dead at once."); err != nil {
				return err
			}
			if err := workspace.CheckKeys(cmd.Context(), a.db, a.box); err != nil {
				return err
			}
			token, err := a.operator().ResetToken(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.print(map[string]string{"id": args[0], "authToken": token}, func(w io.Writer) {
				_, _ = fmt.Fprintln(w, token)
			})
		},
	}
}

func (a *admin) workspaceDelete() *cobra.Command {
	var status bool
	cmd := &cobra.Command{
		Use: "delete <workspace> [<workspace> again]", Short: "Delete a workspace with all that it has; --status shows what is left", Args: cobra.RangeArgs(1, 2),
		Long: `Delete a workspace with all that it has: from now on its credentials fail, no work of it begins, and its
name and e-mail address are free. A job of the workers removes the rest; rows of the audit stay. There is no way
back, so the id has to be typed again: when asked, or as a second word behind --yes.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			deletions := deletion.New(a.db)
			if status {
				return a.showLeft(cmd.Context(), deletions, args[0])
			}
			if err := a.confirmID(args); err != nil {
				return err
			}
			if _, err := deletions.Accept(cmd.Context(), args[0], a.person); err != nil {
				return err
			}
			return a.done(args[0], "deleted; what it has is being removed")
		},
	}
	cmd.Flags().BoolVar(&status, "status", false, "show what is left of a workspace that was deleted, and change nothing")
	return cmd
}

// confirmID has the first of the words typed again.
func (a *admin) confirmID(args []string) error {
	again := args[len(args)-1]
	if !a.yes {
		_, _ = fmt.Fprintf(a.asked, "All that %s has will be removed, for good. Type its id again to go on: ", args[0])
		if _, err := fmt.Fscanln(a.in, &again); err != nil {
			again = ""
		}
	} else if len(args) < 2 {
		again = ""
	}
	if again != args[0] {
		return errors.New("nothing was changed")
	}
	return nil
}

func (a *admin) showLeft(ctx context.Context, deletions *deletion.Deletions, workspaceID string) error {
	left, err := deletions.Left(ctx, workspaceID)
	if err != nil {
		return err
	}
	return a.print(left, func(w io.Writer) {
		for _, table := range slices.Sorted(maps.Keys(left)) {
			_, _ = fmt.Fprintf(w, "%s\t%d\n", table, left[table])
		}
		if len(left) == 0 {
			_, _ = fmt.Fprintln(w, "Nothing is left.")
		}
	})
}
