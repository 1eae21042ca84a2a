package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/models/workspace"
)

func (a *admin) apiKeyCommand() *cobra.Command {
	return area("apikey", "API keys",
		a.switchCommand("disable <key>", "Close one key; its workspace's other keys stay open",
			"disabled", "Every call with this key will be refused.", (*workspace.Operator).DisableKey),
		a.switchCommand("enable <key>", "Open a key again", "enabled", "", (*workspace.Operator).EnableKey),
	)
}

func (a *admin) limitsCommand() *cobra.Command {
	return area("limits", "Limits of single workspaces", &cobra.Command{
		Use:   "set <workspace> <limit> <value>|default",
		Short: "Set a limit for one workspace; 0 switches it off",
		Long:  "Set a limit for one workspace; 0 switches it off, the word default gives the usual one back.\nLimits: " + strings.Join(workspace.LimitNames(), ", ") + ".",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.setLimit(cmd.Context(), args[0], args[1], args[2]); err != nil {
				return err
			}
			return a.done(args[0], args[1]+" "+args[2])
		},
	})
}

// setLimit reads the value, a number or the word default.
func (a *admin) setLimit(ctx context.Context, workspaceID, name, text string) error {
	if !slices.Contains(workspace.LimitNames(), name) {
		return usageError(fmt.Sprintf("there is no limit %q; there are %s", name, strings.Join(workspace.LimitNames(), ", ")))
	}
	if text == "default" {
		return a.operator().SetLimit(ctx, workspaceID, name, nil)
	}
	value, err := strconv.ParseInt(text, 10, 32)
	if err != nil || value < 0 {
		return usageError("the value is a number from 0 on, or the word default")
	}
	number := int(value)
	return a.operator().SetLimit(ctx, workspaceID, name, &number)
}
