package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/calibration"
	"github.com/redline-svc/redline/bench/holdings"
	"github.com/redline-svc/redline/bench/judgments"
	"github.com/redline-svc/redline/bench/leaves"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/updates"
	"github.com/redline-svc/redline/bench/workflow"
)

// benchmark measures one or more rows of the table.
type benchmark struct {
	name string
	run  func(ctx context.Context, r *rig) ([]measure.Row, error)
}

// benchmarks in their order: the one that wants a fresh engine comes first; those
// of single deliveries, whose peers had nothing behind them, before those that
// fill the disk; the one that stops Temporal nearly last, and the one that keeps
// it busiest behind it. What fills the index most comes last of all.
var benchmarks = []benchmark{
	{"mock", benchMock},
	{"two-of-each", benchTwoOfEach},
	{"dispatch", workflows(workflow.Dispatch)},
	{"decision", workflows(workflow.Decision)},
	{"next-call", workflows(workflow.NextCall)},
	{"chain", workflows(workflow.Chain)},
	{"history", workflows(workflow.History)},
	{"lint", workflows(workflow.Lint)},
	{"first-delivery", benchFirstDelivery},
	{"endpoint-lag", benchEndpointLag},
	{"endpoint-isolation", benchEndpointIsolation},
	{"endpoint-rate", benchEndpoints},
	{"deliveries", benchDeliveries},
	{"replay", benchReplay},
	{"list", benchList},
	{"inbox", benchInbox},
	{"console", benchConsole},
	{"graph", alone(leaves.Graph)},
	{"people", benchPeople},
	{"annotations", benchAnnotations},
	{"adds", benchAdds},
	{"documents", benchDocuments},
	{"counts", benchCounts},
	{"ingest", benchIngest},
	{"faulty-files", benchFaultyFiles},
	{"knowledge", benchKnowledge},
	{"embedding", alone(leaves.Embedding)},
	{"pdf", alone(leaves.PDF)},
	{"workbook", alone(leaves.Workbook)},
	{"outage", benchOutage},
	{"memory", benchMemory},
	{"calibration", alone(calibration.Measure)},
	{"judgments", func(ctx context.Context, r *rig) ([]measure.Row, error) { return judgments.Measure(ctx, r.Workspace) }},
	{"totals", benchTotals},
	{"suggest", func(ctx context.Context, r *rig) ([]measure.Row, error) {
		return judgments.Suggest(ctx, r.Rows, r.Workspace)
	}},
	{"million", func(ctx context.Context, r *rig) ([]measure.Row, error) {
		return judgments.Million(ctx, r.Rows, r.Workspace, r.stack.Env)
	}},
	{"detection", alone(leaves.Detection)},
	{"updates", func(ctx context.Context, r *rig) ([]measure.Row, error) {
		return updates.Measure(ctx, r.Workspace, r.Rows)
	}},
	{"removal", inHoldings(holdings.Delete)},
	{"rebuild", inHoldings(holdings.Rebuild)},
	{"hanging", benchHanging},
	{"attackers", benchAttackers},
	{"idle-tenants", benchIdleTenants},
	{"neighbours", inHoldings(holdings.Neighbours)},
}

// alone is a benchmark that needs no stack.
func alone(of func(context.Context) ([]measure.Row, error)) func(context.Context, *rig) ([]measure.Row, error) {
	return func(ctx context.Context, _ *rig) ([]measure.Row, error) { return of(ctx) }
}

// workflows is a benchmark of Temporal.
func workflows(of func(context.Context, workflow.Side) ([]measure.Row, error)) func(context.Context, *rig) ([]measure.Row, error) {
	return func(ctx context.Context, r *rig) ([]measure.Row, error) {
		return of(ctx, workflow.Side{Runs: r.Runs, Bare: r.bare, Stack: r.stack, Authority: r.authority, Rest: r.quiet})
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == bare.ServerArgument {
		exit(bare.Serve())
	}
	only := flag.String("only", "", "run the benchmarks whose name contains this, or one of these, separated by commas")
	out := flag.String("out", "", "folder of the table and the JSON file; "+results+" for a whole run, "+partial+" otherwise")
	folder := flag.String("stack", "", "keep the data in this folder, and go on with what a run before left there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(runAll(ctx, *only, *folder, *out))
}

const (
	// results has the last whole run.
	results = "bench/results"
	// partial has the last run of some benchmarks only, or one that failed.
	partial = ".local/bench"
)

// folderOf is where a run is written: the named folder if there is one, but a run
// that is not whole never takes the place of one that is.
func folderOf(named string, whole bool) string {
	switch {
	case whole:
		return cmp.Or(named, results)
	case named == "" || filepath.Clean(named) == results:
		return partial
	default:
		return named
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// chosen reports whether the name contains one of the words, which commas separate.
func chosen(name, words string) bool {
	return slices.ContainsFunc(strings.Split(words, ","), func(word string) bool { return strings.Contains(name, word) })
}

// runAll runs the benchmarks one after the other on one stack. What was
// measured is written down even when a later benchmark fails.
func runAll(ctx context.Context, only, folder, out string) error {
	r, err := newRig(ctx, folder)
	if err != nil {
		return err
	}
	defer r.close()
	rows := []measure.Row{}
	for _, b := range benchmarks {
		if !chosen(b.name, only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring %s ...\n", b.name)
		found, failed := b.run(ctx, r)
		rows = append(rows, found...)
		if failed != nil {
			err = fmt.Errorf("%s: %w", b.name, failed)
			break
		}
	}
	whole := only == "" && err == nil
	return errors.Join(err, measure.Report(folderOf(out, whole), rows))
}
