package holdings

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// otherSources are searched beside the one that says what is asked for.
const otherSources = 29

// said are sentences, each of a source of its own, with a question in other words.
var said = [][2]string{
	{"Bees tell each other where the flowers are by dancing.", "How does an insect show others the way to food?"},
	{"The ferry leaves for the mainland at noon.", "When can I cross the sea by ship?"},
	{"Copper conducts electricity very well.", "Which metal is good for wires?"},
	{"The judge postponed the hearing until May.", "When does the court meet again?"},
	{"Interest on the loan is paid every quarter.", "How often does the borrower pay the bank?"},
	{"The dentist filled two teeth.", "What was done to the patient's mouth?"},
	{"The forest burned after a lightning strike.", "Why did the trees catch fire?"},
	{"The glacier loses ten metres a year.", "How fast does the ice melt?"},
}

// matches are sources that say what no other does.
type matches struct {
	workspace *client.Workspace
	// sources are those of what is said, others are searched beside each.
	sources, others []string
	// first is how often the right one came first, of asked.
	first, asked int
}

func newMatches(ctx context.Context, w *client.Workspace, others []string) (*matches, error) {
	m := &matches{workspace: w, others: others}
	for _, pair := range said {
		source, err := bringIn(ctx, w, pair[0])
		if err != nil {
			return nil, err
		}
		m.sources = append(m.sources, source)
	}
	return m, nil
}

// look asks all questions, each of thirty sources of which one has the answer.
func (m *matches) look(ctx context.Context) error {
	for i, pair := range said {
		found, err := client.Call[redline.KnowledgeResults](ctx, m.workspace.Keyed, "memory/knowledge/search",
			map[string]any{"query": pair[1], "sourceId": append(m.others[:otherSources:otherSources], m.sources[i])})
		if err != nil {
			return err
		}
		if m.asked++; len(found.Results) > 0 && found.Results[0].SourceID == m.sources[i] {
			m.first++
		}
	}
	return nil
}

func (m *matches) row() measure.Row {
	return measure.AtLeast(1, measure.Row{
		Name: fmt.Sprintf("the only match of %d sources among %d chunks comes first", otherSources+1, rebuiltSources*rebuiltChunks), Unit: "questions",
		Measured: float64(m.first), What: "asked", Against: float64(m.asked), Note: "half of them before the index was built again, half after",
	})
}
