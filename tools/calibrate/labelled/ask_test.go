package labelled_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

func TestQuestionsAreEnoughInBothHalvesAndDistinct(t *testing.T) {
	ask := sets(t).Ask
	require.Len(t, ask.Judgments, 80)
	require.Len(t, ask.Knowledge, 60)
	require.Len(t, ask.Rules, 30)
	ids := unique{}
	var answerable, unanswerable [2]int
	var texts []string
	for _, q := range ask.Questions {
		ids.add(t, q.ID)
		texts = append(texts, q.Question)
		if len(q.Answers) > 0 {
			answerable[q.Half()]++
		} else {
			unanswerable[q.Half()]++
		}
	}
	require.Equal(t, 40, answerable[labelled.Tuning]+answerable[labelled.Proof])
	require.Equal(t, 20, unanswerable[labelled.Tuning]+unanswerable[labelled.Proof])
	require.GreaterOrEqual(t, min(answerable[labelled.Tuning], answerable[labelled.Proof]), 15)
	require.GreaterOrEqual(t, min(unanswerable[labelled.Tuning], unanswerable[labelled.Proof]), 8)
	for _, paragraphs := range [][]labelled.Paragraph{ask.Knowledge, ask.Rules} {
		for _, p := range paragraphs {
			require.NotEmpty(t, p.Source, p.ID)
			texts = append(texts, p.Text)
		}
	}
	requireDistinct(t, texts)
	requireDistinctContents(t, ask.Judgments)
}

// Every record that a question names holds at least one stem of the question: what has
// nothing in common with it is a slip of the pen in the id.
func TestAnswersShareWordsWithTheirQuestions(t *testing.T) {
	ask := sets(t).Ask
	texts := map[string]string{}
	for _, j := range ask.Judgments {
		texts[j.ID] = j.Content + " " + j.Reasoning
	}
	for _, p := range append(ask.Knowledge, ask.Rules...) {
		texts[p.ID] = p.Text
	}
	for _, q := range ask.Questions {
		for _, answer := range q.Answers {
			require.True(t, shareStem(q.Question, texts[answer]), "%s and %s", q.ID, answer)
		}
	}
}
