package trial_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
	"github.com/redline-svc/redline/tools/calibrate/trial"
)

// verdict is a judgment made today on a document of its own.
func verdict(reviewer, decision, content string) labelled.Judgment {
	return labelled.Judgment{
		Reviewer: reviewer, Decision: decision, Reasoning: "as ever", Content: content, Document: "d-" + reviewer, Confidence: 0.95,
	}
}

// half returns an id in the half that begins with a word.
func half(t *testing.T, word string, in labelled.Half) string {
	t.Helper()
	for i := range 100 {
		if id := fmt.Sprint(word, i); labelled.HalfOf(id) == in {
			return id
		}
	}
	t.Fatal("no id of a hundred is in the half")
	return ""
}

// tiny are sets whose figures follow from their words alone: in the tuning half all is as it
// should be, in the proof half nothing is.
func tiny(t *testing.T) *labelled.Sets {
	t.Helper()
	const clause = "liability of the supplier is unlimited"
	people := []string{"ann", "bob", "cid"}
	var sets labelled.Sets
	for in, kind := range map[labelled.Half]labelled.Kind{labelled.Tuning: labelled.Reject, labelled.Proof: labelled.Approve} {
		situation := labelled.Situation{ID: half(t, "s", in), Kind: kind, ContentType: "contract", Query: clause}
		for _, person := range people {
			situation.History = append(situation.History, verdict(person, "reject", clause))
		}
		// In the proof half those of the practice have nothing in common but two words.
		practice := labelled.Practice{ID: half(t, "p", in), Decision: "approve"}
		for i, person := range people {
			content := []string{"green door", "harbour fee", "winter tyres"}[i]
			if in == labelled.Tuning {
				content = "colour of the door is green"
			}
			practice.Judgments = append(practice.Judgments, verdict(person, "approve", content))
		}
		sets.Situations, sets.Practices = append(sets.Situations, situation), append(sets.Practices, practice)
	}
	sets.Ask = labelled.Ask{
		Knowledge: []labelled.Paragraph{{ID: "k", Text: "Offers are kept for six years."}},
		Questions: []labelled.Question{
			{ID: half(t, "q", labelled.Tuning), Question: "For how many years are offers kept?", Answers: []string{"k"}},
			{ID: half(t, "r", labelled.Proof), Question: "Who waters the plants?", Answers: []string{"k"}},
		},
	}
	return &sets
}

var usual = embed.Thresholds{Spread: 0.10, Strong: 0.65, Cluster: 0.20, Answer: 0.30}

func TestFiguresOfEachHalfAreItsOwn(t *testing.T) {
	of, err := trial.New(t.Context(), tiny(t), embed.Lexical{})
	require.NoError(t, err)
	figures, err := of.Report(t.Context(), usual)
	require.NoError(t, err)
	found := map[string]trial.Figure{}
	for i, f := range figures {
		require.Equal(t, trial.Bars[i], f.Bar)
		found[f.Name] = f
	}
	for name, want := range map[string][2]float64{
		"suggest: right kind of answer": {1, 0}, "patterns: practices found": {1, 0}, "patterns: false ones": {0, 0},
		"patterns: the same over 5 runs": {1, 1}, "ask: citations word for word": {1, 1}, "ask: answered from a record that holds it": {1, 0},
	} {
		require.Equal(t, want, [2]float64{found[name].Tuning, found[name].Proof}, name)
	}
	require.False(t, *found["patterns: practices found"].Met, "the proof half counts")
	require.True(t, *found["patterns: false ones"].Met)
	require.Nil(t, found["ask: answered"].Met)
	// Three people today of a likeness of 3/4, as nobody's reasoning has words of the query:
	// n = 3, so 0.875 of confidence.
	require.InDelta(t, 0.125*0.125, found["suggest: Brier score"].Tuning, 1e-9)
	require.InDelta(t, 0.875*0.875, found["suggest: Brier score"].Proof, 1e-9)
}

func TestTheGridMovesOneThresholdOfTheTuningHalf(t *testing.T) {
	of, err := trial.New(t.Context(), tiny(t), embed.Lexical{})
	require.NoError(t, err)
	settings, err := of.Grid(t.Context(), usual)
	require.NoError(t, err)
	tuning, err := of.Measure(t.Context(), labelled.Tuning, usual)
	require.NoError(t, err)
	current := map[string]int{}
	values := map[string]bool{}
	for _, s := range settings {
		at := fmt.Sprint(s.Threshold, s.Value)
		require.False(t, values[at], at)
		values[at] = true
		if !s.Current {
			continue
		}
		current[s.Threshold]++
		for _, f := range s.Figures {
			for i, bar := range trial.Bars {
				if bar.Name == f.Name {
					require.InDelta(t, tuning[i], f.Value, 0, f.Name)
				}
			}
		}
	}
	require.Equal(t, map[string]int{"unrelated": 1, "spread": 1, "strong": 1, "cluster": 1, "answer": 1}, current)
	require.True(t, values["cluster0.195"])
	require.False(t, values["unrelated-0.005"])
}
