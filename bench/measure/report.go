package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"
)

// Row is one line of the table. Measured and Against are in Unit; Ratio is what
// the goal speaks of, measured over against, unless the goal is a plain number.
type Row struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Measured float64 `json:"measured"`
	Against  float64 `json:"against"`
	What     string  `json:"againstWhat"`
	Ratio    float64 `json:"ratio"`
	// Goal is empty, and Met nil, in a row that is only for comparison.
	Goal string `json:"goal,omitempty"`
	Met  *bool  `json:"met,omitempty"`
	// Blocks are the single measurements of both sides, for whoever doubts a median.
	Blocks []Pair `json:"blocks,omitempty"`
	Note   string `json:"note,omitempty"`
}

// ratio is zero for a row that stands alone: JSON has no infinity.
func (r Row) ratio() float64 {
	if r.Against == 0 {
		return 0
	}
	return r.Measured / r.Against
}

// Pair is one block of each side.
type Pair struct {
	Measured float64 `json:"measured"`
	Against  float64 `json:"against"`
}

// AtMost is a row whose ratio must not exceed the goal.
func AtMost(goal float64, r Row) Row {
	r.Ratio = r.Measured / r.Against
	r.Goal, r.Met = fmt.Sprintf("ratio at most %g", goal), new(r.Ratio <= goal)
	return r
}

// AtLeast is a row whose ratio must reach the goal.
func AtLeast(goal float64, r Row) Row {
	r.Ratio = r.Measured / r.Against
	r.Goal, r.Met = fmt.Sprintf("ratio at least %g", goal), new(r.Ratio >= goal)
	return r
}

// Below is a row whose own value must not exceed the goal.
func Below(goal float64, r Row) Row {
	r.Ratio = r.ratio()
	r.Goal, r.Met = fmt.Sprintf("at most %g %s", goal, r.Unit), new(r.Measured <= goal)
	return r
}

// Above is a row whose own value must reach the goal.
func Above(goal float64, r Row) Row {
	r.Ratio = r.ratio()
	r.Goal, r.Met = fmt.Sprintf("at least %g %s", goal, r.Unit), new(r.Measured >= goal)
	return r
}

// Beside is a row without a goal: what a reader wants to know besides.
func Beside(r Row) Row {
	r.Ratio = r.ratio()
	return r
}

// The names of what Report writes. They are the same for every run, so that a folder
// has one run, with the time at which it ended.
const (
	TableFile = "last.txt"
	DataFile  = "last.json"
)

// Report prints the table, and writes it and all that was measured as TableFile and
// DataFile, in place of what the folder had.
func Report(folder string, rows []Row) error {
	var table bytes.Buffer
	if err := tabulate(&table, rows); err != nil {
		return err
	}
	fmt.Println("\n" + table.String())
	text, err := json.MarshalIndent(map[string]any{
		"at": time.Now().UTC().Format(time.RFC3339), "machine": machine(), "versions": versions(), "rows": rows,
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(folder, TableFile), table.Bytes(), 0o644),
		os.WriteFile(filepath.Join(folder, DataFile), append(text, '\n'), 0o644))
	if err == nil {
		fmt.Printf("written to %s and %s in %s\n", TableFile, DataFile, folder)
	}
	return err
}

// tabulate writes the rows for a person.
func tabulate(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "measured\tvalue\tagainst\tvalue\tratio\tgoal\t")
	for _, r := range rows {
		verdict := ""
		if r.Met != nil {
			verdict = map[bool]string{true: "met", false: "MISSED"}[*r.Met]
		}
		_, _ = fmt.Fprintf(table, "%s\t%.4g %s\t%s\t%.4g %s\t%.3f\t%s\t%s\n",
			r.Name, r.Measured, r.Unit, r.What, r.Against, r.Unit, r.Ratio, r.Goal, verdict)
	}
	return table.Flush()
}
