package labelled_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/term"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// shared are the stems that a question has in common with the paragraph that answers it.
func shared(r *labelled.Retrieval, q labelled.Sought) (stems []string) {
	for _, d := range r.Documents {
		for paragraph := range strings.SplitSeq(d.Text, "\n\n") {
			if d.Name != q.File || !strings.Contains(paragraph, q.Answer) {
				continue
			}
			there := term.Stems(paragraph)
			for stem := range term.Stems(q.Question) {
				if there[stem] {
					stems = append(stems, stem)
				}
			}
		}
	}
	return stems
}

func TestRetrievalSetIsLargeEnoughAndInOtherWords(t *testing.T) {
	r := &sets(t).Retrieval
	require.GreaterOrEqual(t, len(r.Documents), 15)
	require.GreaterOrEqual(t, len(r.Questions), 60)
	halves, other := map[labelled.Half]int{}, 0
	for _, q := range r.Questions {
		halves[q.Half()]++
		if stems := shared(r, q); len(stems) == 0 {
			other++
		} else {
			t.Log(q.ID, stems)
		}
	}
	t.Log(other, "questions share no word with their passage; halves", halves)
	require.GreaterOrEqual(t, other, len(r.Questions)/2)
	require.Greater(t, halves[labelled.Tuning], 10)
	require.Greater(t, halves[labelled.Proof], 10)
	var texts []string
	for _, d := range r.Documents {
		for paragraph := range strings.SplitSeq(d.Text, "\n\n") {
			texts = append(texts, paragraph)
		}
	}
	requireDistinct(t, texts)
}
