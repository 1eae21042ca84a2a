package leaves

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/redline-svc/redline/bench/measure"
)

// Goals: of a detection, in milliseconds and MiB, and of a workbook, in seconds and MiB.
const (
	detectionGoal, detectionMemory = 5000, 64
	workbookGoal, workbookMemory   = 20, 300
)

// Embedding compares the texts a second that the sentence model's provider embeds with
// those of the bare runtime.
func Embedding(ctx context.Context) ([]measure.Row, error) {
	return compared(ctx, "./internal/embed", "BenchmarkProviderAgainstRuntime", measure.Row{
		Name: "texts embedded a second", Unit: "texts", What: "the bare runtime, run the same way",
	})
}

// PDF compares the pages a second of the converter with PDFium's own text.
func PDF(ctx context.Context) ([]measure.Row, error) {
	return compared(ctx, "./internal/extract/pdf", "BenchmarkConverterAgainstPDFium", measure.Row{
		Name: "PDF pages converted a second", Unit: "pages", What: "PDFium called directly",
	})
}

// Detection reads 3,000 judgments among 100,000, finds the patterns and stores them.
func Detection(ctx context.Context) ([]measure.Row, error) {
	f, err := run(ctx, "./models/pattern", "BenchmarkScope", "3x")
	if err != nil {
		return nil, err
	}
	return []measure.Row{
		measure.Below(detectionGoal, measure.Row{Name: "detection over 3,000 judgments", Unit: "ms", Measured: f.of("ns/op") / 1e6}),
		measure.Below(detectionMemory, measure.Row{Name: "memory of it, above that before", Unit: "MiB", Measured: f.of("peak-MiB")}),
	}, f.missing
}

// Workbook converts one of as many rows as are taken.
func Workbook(ctx context.Context) ([]measure.Row, error) {
	f, err := run(ctx, "./internal/extract/confined", "BenchmarkWorkbookOfTheMostRows", "1x")
	if err != nil {
		return nil, err
	}
	return []measure.Row{
		measure.Below(workbookGoal, measure.Row{Name: "workbook of 200,000 rows converted", Unit: "s", Measured: f.of("ns/op") / 1e9}),
		measure.Below(workbookMemory, measure.Row{Name: "memory of the process that converts it", Unit: "MiB", Measured: f.of("peak-MiB")}),
	}, f.missing
}

// Graph draws an execution of 200 steps with a loop.
func Graph(ctx context.Context) ([]measure.Row, error) {
	f, err := run(ctx, "./console", "BenchmarkDrawOf200Steps", "20x")
	if err != nil {
		return nil, err
	}
	return []measure.Row{measure.Below(150, measure.Row{Name: "graph of 200 steps drawn", Unit: "ms", Measured: f.of("ns/op") / 1e6})}, f.missing
}

// compared runs a benchmark that measures both sides alternately and reports
// <unit>/s and bare-<unit>/s.
func compared(ctx context.Context, folder, name string, r measure.Row) ([]measure.Row, error) {
	f, err := run(ctx, folder, name, "10x")
	if err != nil {
		return nil, err
	}
	r.Measured, r.Against = f.of(r.Unit+"/s"), f.of("bare-"+r.Unit+"/s")
	return []measure.Row{measure.AtLeast(0.9, r)}, f.missing
}

// figures are what a benchmark printed. missing is the first that was asked for and is not
// there.
type figures struct {
	printed []byte
	missing error
}

func run(ctx context.Context, folder, name, times string) (*figures, error) {
	command := exec.CommandContext(ctx, "go", "test", folder, "-run", "^$", "-bench", "^"+name+"$", "-benchtime", times)
	printed, err := command.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, printed)
	}
	return &figures{printed: printed}, nil
}

// of is the figure in front of a unit.
func (f *figures) of(unit string) float64 {
	found := regexp.MustCompile(`([0-9.]+) ` + regexp.QuoteMeta(unit) + `(?:\s|$)`).FindSubmatch(f.printed)
	if found == nil {
		if f.missing == nil {
			f.missing = fmt.Errorf("no %s in %s", unit, f.printed)
		}
		return 0
	}
	value, _ := strconv.ParseFloat(string(found[1]), 64) // it has digits and points only
	return value
}
