package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/redline-svc/redline/bench/measure"
)

// benchEmbedding compares the texts a second that the sentence model's provider
// embeds with those of the bare runtime.
func benchEmbedding(ctx context.Context, _ *rig) ([]measure.Row, error) {
	return leaf(ctx, "./internal/embed", "BenchmarkProviderAgainstRuntime", measure.Row{
		Name: "texts embedded a second", Unit: "texts", What: "the bare runtime, run the same way",
	})
}

// benchPDF compares the pages a second of the converter with PDFium's own text.
func benchPDF(ctx context.Context, _ *rig) ([]measure.Row, error) {
	return leaf(ctx, "./internal/extract/pdf", "BenchmarkConverterAgainstPDFium", measure.Row{
		Name: "PDF pages converted a second", Unit: "pages", What: "PDFium called directly",
	})
}

// leaf runs a benchmark of a package that measures both sides alternately and
// reports <unit>/s and bare-<unit>/s.
func leaf(ctx context.Context, folder, name string, r measure.Row) ([]measure.Row, error) {
	command := exec.CommandContext(ctx, "go", "test", folder, "-run", "^$", "-bench", name, "-benchtime", "10x")
	out, err := command.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	if r.Measured, err = metric(out, r.Unit+"/s"); err != nil {
		return nil, err
	}
	if r.Against, err = metric(out, "bare-"+r.Unit+"/s"); err != nil {
		return nil, err
	}
	return []measure.Row{measure.AtLeast(0.9, r)}, nil
}

func metric(out []byte, unit string) (float64, error) {
	found := regexp.MustCompile(`([0-9.]+) ` + regexp.QuoteMeta(unit) + `\b`).FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("no %s in %s", unit, out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
