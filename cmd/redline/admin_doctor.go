package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/internal/config"
)

// withoutDatabase marks the command that begins although the configuration is faulty.
const withoutDatabase = "without database"

func (a *admin) doctorCommand() *cobra.Command {
	role := config.Serve
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look at everything that can be misconfigured, and say what to do",
		Long: `Look at everything that can be misconfigured, and say what to do: the configuration itself, then
addresses and proxies, Postgres, schema, keys, quotas, clock, files and disk, the vector index, the model,
what may be reached, Temporal with namespace and search attributes, the relay, and the versions of all.
Call it with the environment of the process that it is about. It ends with 1 where anything is
faulty; a warning is none.`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{withoutDatabase: "yes"},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.examine(cmd.Context(), role) },
	}
	cmd.Flags().StringVar((*string)(&role), "role", string(role), "the process that is looked at: serve, api or worker")
	return cmd
}

func (a *admin) examine(ctx context.Context, role config.Role) error {
	if role != config.Serve && role != config.API && role != config.Worker {
		return usageError("--role is serve, api or worker")
	}
	found := (&doctor{role: role}).look(ctx, a.environ)
	err := a.print(found, func(w io.Writer) {
		for _, f := range found {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.State, f.Of, f.Says)
			if f.Do != "" {
				_, _ = fmt.Fprintf(w, "\t\t-> %s\n", f.Do)
			}
		}
	})
	faults := 0
	for _, f := range found {
		if f.State == isFault {
			faults++
		}
	}
	if err == nil && faults > 0 {
		err = fmt.Errorf("%d of these have to be put right", faults)
	}
	return err
}
