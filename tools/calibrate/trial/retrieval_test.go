package trial

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/term"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

func TestSearchesAreMeasuredOverTheFilesOfTheirHalf(t *testing.T) {
	name := "a" // is in the proof half
	require.Equal(t, labelled.Proof, labelled.HalfOf(name))
	sets := &labelled.Sets{Retrieval: labelled.Retrieval{
		Documents: []labelled.Document{{Name: name, Text: "# House\n\n## Rent\n\nThe rent is due on Monday.\n\n## Doors\n\nThe gate is closed at night.\n"}},
		Questions: []labelled.Sought{{ID: "1", File: name, Question: "Is the gate closed?", Answer: "The gate is closed"}},
	}}
	of, err := New(t.Context(), sets, embed.Lexical{})
	require.NoError(t, err)
	require.Len(t, of.retrieval.chunks.texts, 2)
	require.Equal(t, "House > Doors\nThe gate is closed at night.", of.retrieval.chunks.texts[1])
	require.ElementsMatch(t, of.retrieval.chunks.texts, of.retrieval.sections.texts)
	require.Equal(t, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, of.searches(labelled.Proof))
	require.Equal(t, []int{1}, of.retrieval.chunks.words("gates"))
	require.Empty(t, of.retrieval.chunks.unstemmed("gates"))
}

func TestRareWordsAndShortTextsWeighMore(t *testing.T) {
	k := newKeywords([]string{"fee, gate, fee", "fee", "fee rent harbour garden roses"}, term.Keywords, term.Asked)
	scores := k.scores("the fee at the gate")
	require.Greater(t, scores[0], scores[1])
	require.Greater(t, scores[1], scores[2])
	require.Equal(t, []int{0, 1, 2}, k.ranked("gate fees"))
	require.Empty(t, k.ranked("volcano"))
}

func TestATextWithTooFewOfTheWordsIsNotFused(t *testing.T) {
	k := newKeywords([]string{"fee rent", "fee", "rent gate harbour"}, term.Keywords, term.Asked)
	require.Equal(t, []int{2, 0}, k.enough("Is the rent for the harbour beside the fee?"))
	require.Equal(t, []int{2, 0, 1}, k.ranked("Is the rent for the harbour beside the fee?"))
}
