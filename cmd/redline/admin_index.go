package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/redline-svc/redline/cmd/redline/reindex"
	"github.com/redline-svc/redline/models/judgment"
	knowledgestore "github.com/redline-svc/redline/models/knowledge"
)

func (a *admin) indexCommand() *cobra.Command {
	rebuild := &cobra.Command{
		Use:   "rebuild",
		Short: "Build the index again from the stored vectors",
		Long: `Build the index again from the stored vectors, beside the one that serves, and switch when
everything is in it. Searches and ingestions go on. Broken off, it goes on where it was
when it is called again; the former collections are removed a minute after the switch.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.reindex(cmd.Context(), "admin index rebuild", (*reindex.Job).Rebuild)
		},
	}
	reembed := &cobra.Command{
		Use:   "reembed",
		Short: "Build the index again by the configured model",
		Long: `Build the index again by the configured model, as rebuild does from the stored vectors.
Until the switch, searches by meaning need the former model: as REDLINE_EMBED_PREVIOUS_*.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.reindex(cmd.Context(), "admin index reembed", (*reindex.Job).Reembed)
		},
	}
	return area("index", "The vector index of knowledge and judgments", rebuild, reembed, a.indexCheckCommand())
}

func (a *admin) indexCheckCommand() *cobra.Command {
	fix := false
	check := &cobra.Command{
		Use:   "check",
		Short: "Compare the index with the rows, item by item",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.checkIndex(cmd.Context(), fix) },
	}
	check.Flags().BoolVar(&fix, "fix", false, "write what is missing and remove what has no row")
	return check
}

// reindexing makes the job, of which there is one at a time. It may run while
// the service does; release ends it.
func (a *admin) reindexing(ctx context.Context) (job *reindex.Job, release func(), err error) {
	if a.config.Weaviate.Addr == "" || a.config.Weaviate.GRPCAddr == "" {
		return nil, nil, errors.New("REDLINE_WEAVIATE_ADDR, REDLINE_WEAVIATE_GRPC_ADDR: are required")
	}
	index, err := openIndex(a.config.Weaviate)
	if err != nil {
		return nil, nil, err
	}
	if err := index.Check(ctx); err != nil {
		return nil, nil, err
	}
	rows := knowledgestore.New(a.db)
	if release, err = rows.LockIndex(ctx); err != nil {
		return nil, nil, err
	}
	return reindex.New(reindex.Parts{
		Rows: rows, Judgments: judgment.New(a.db), Index: index,
		Models:   embedders(ctx, a.config.Embed, slog.New(slog.NewTextHandler(a.asked, nil))),
		Progress: a.progress,
	}), release, nil
}

// reindexed names the generation that serves now.
type reindexed struct {
	Generation string `json:"generation"`
	Model      string `json:"model"`
}

func (a *admin) reindex(ctx context.Context, command string, run func(*reindex.Job, context.Context) (*knowledgestore.Generation, error)) error {
	job, release, err := a.reindexing(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := a.operator().Note(ctx, command); err != nil {
		return err
	}
	g, err := run(job, ctx)
	if errors.Is(err, reindex.ErrNoIndex) {
		return a.done("index", err.Error())
	}
	if err != nil {
		return err
	}
	done := reindexed{Generation: g.ID, Model: g.Identity}
	return a.print(done, func(w io.Writer) { _, _ = fmt.Fprintf(w, "generation\t%s\nmodel\t%s\n", done.Generation, done.Model) })
}

func (a *admin) checkIndex(ctx context.Context, fix bool) error {
	job, release, err := a.reindexing(ctx)
	if err != nil {
		return err
	}
	defer release()
	if fix {
		if err := a.operator().Note(ctx, "admin index check"); err != nil {
			return err
		}
	}
	report, err := job.Check(ctx, fix)
	if errors.Is(err, reindex.ErrNoIndex) {
		report, err = &reindex.Report{}, nil // no rows and no objects agree
	}
	if err != nil {
		return err
	}
	err = a.print(report, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "workspaces\t%d\nversions\t%d\nitems\t%d\njudgments\t%d\nmissing\t%d\nsurplus\t%d\nfixed\t%d\n",
			report.Workspaces, report.Versions, report.Items, report.Judgments, report.Missing, report.Surplus, report.Fixed)
	})
	if err == nil && report.Missing+report.Surplus > report.Fixed {
		err = errors.New("index and rows differ: mend it with --fix")
	}
	return err
}
