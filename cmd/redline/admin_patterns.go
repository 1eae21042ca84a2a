package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/models/pattern"
)

func (a *admin) patternsCommand() *cobra.Command {
	workspaceID := ""
	run := &cobra.Command{
		Use: "run",
		// as it was called at first
		Aliases: []string{"detect"},
		Short:   "Have patterns looked for at once, without waiting for changes to rest",
		Long: `Have patterns looked for at once, without waiting for changes to rest: in one workspace, or
in all that have judgments or patterns. The workers do it, within a second unless a
workspace has a run open, then after that. The command may be repeated.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.detectPatterns(cmd.Context(), workspaceID) },
	}
	run.Flags().StringVar(&workspaceID, "workspace", "", "only this workspace")
	return area("patterns", "What reviewers usually decide", run)
}

// detectable counts the workspaces whose patterns are looked for.
type detectable struct {
	Workspaces int `json:"workspaces"`
}

func (a *admin) detectPatterns(ctx context.Context, workspaceID string) error {
	if err := a.operator().Note(ctx, "admin patterns run"); err != nil {
		return err
	}
	made, err := pattern.New(a.db).MakeDue(ctx, workspaceID)
	if err != nil {
		return err
	}
	return a.print(detectable{made}, func(w io.Writer) { _, _ = fmt.Fprintf(w, "workspaces\t%d\n", made) })
}
