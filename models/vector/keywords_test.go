package vector_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/term"
	"github.com/redline-svc/redline/models/vector"
)

// texts are objects of one source, each with its own text.
func texts(source string, of ...string) []vector.Object {
	list := objects(source, source+"/1", 0, len(of))
	for i, text := range of {
		list[i].Text = text
	}
	return list
}

func TestObjectsAreFoundByTheirWords(t *testing.T) {
	x, ctx := index(t), context.Background()
	p := vector.Partition{Suffix: "_k", Workspace: "ws_k", Corpus: vector.Chunks}
	_, err := x.Keywords(ctx, p, vector.Query{Text: "payment", Limit: 3})
	require.True(t, fault.Is(err, fault.StatusUnavailable), "%v", err)
	require.NoError(t, x.Insert(ctx, p, texts("src_1", "Payments are due within a month.", "The gate is closed at night.", "Gates and doors: the doors stay open.")))
	require.NoError(t, x.Insert(ctx, p, texts("src_2", "Whoever pays late owes interest.", "The gates of the harbour.")))
	items := func(q vector.Query) []string {
		q.Limit = 10
		hits, err := x.Keywords(ctx, p, q)
		require.NoError(t, err)
		require.True(t, slices.IsSortedFunc(hits, func(a, b vector.Hit) int { return int(math.Copysign(1, b.Keyword-a.Keyword)) }), "%+v", hits)
		found := []string{}
		for _, hit := range hits {
			require.Positive(t, hit.Keyword)
			found = append(found, hit.Source+"."+hit.Item)
		}
		return found
	}
	require.Equal(t, []string{"src_1.0"}, items(vector.Query{Text: "the PAYMENT?"}))
	require.ElementsMatch(t, []string{"src_1.1", "src_1.2", "src_2.1"}, items(vector.Query{Text: "gate"}))
	require.Equal(t, []string{"src_2.1"}, items(vector.Query{Text: "gate", Source: "src_2"}))
	require.Equal(t, []string{"src_2.1"}, items(vector.Query{Text: "gate", Sources: []string{"src_2", "src_3"}}))
	require.Equal(t, []string{"src_2.1"}, items(vector.Query{Text: "gate", Exclude: []string{"src_1/1"}}))
	require.Equal(t, []string{"src_1.2", "src_1.1"}, items(vector.Query{Text: "closed door gate doors"}), "two of the three words are enough, one is not")
	require.ElementsMatch(t, []string{"src_1.2", "src_1.1", "src_2.1"}, items(vector.Query{Text: "closed door gate doors", Any: true}))
	require.Equal(t, []string{"src_1.0"}, items(vector.Query{Text: "Is the payment of Miss Okonkwo about roses, a fence or garden sheds?"}), "something is named")
	require.Empty(t, items(vector.Query{Text: "the of is"}))
	require.Empty(t, items(vector.Query{Text: "volcano"}))

	listed, err := x.List(ctx, p, "", 10)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(listed, func(o vector.Listed) bool { return o.Words == vector.Words("The gate is closed at night.") }))
	require.NoError(t, x.DeleteVersion(ctx, p, "src_2/1"))
	require.ElementsMatch(t, []string{"src_1.1", "src_1.2"}, items(vector.Query{Text: "gate"}))
}

// bm25 is the formula of Robertson and Spärck Jones with k1 = 1.2 and b = 0.75, without the
// constant factor k1 + 1, over the stems of some texts.
func bm25(query string, of []string, at int) float64 {
	length, sum := 0.0, 0.0
	for _, text := range of {
		length += float64(len(term.Keywords(text))) / float64(len(of))
	}
	own := term.Keywords(of[at])
	for stem := range term.Stems(query) {
		with, often := 0.0, 0.0
		for i, text := range of {
			stems := term.Keywords(text)
			if slices.Contains(stems, stem) {
				with++
			}
			for _, s := range stems {
				if i == at && s == stem {
					often++
				}
			}
		}
		idf := math.Log(1 + (float64(len(of))-with+0.5)/(with+0.5))
		sum += idf * often / (often + 1.2*(0.25+0.75*float64(len(own))/length))
	}
	return sum
}

func TestScoresByWordsAreThoseOfTheFormula(t *testing.T) {
	x, ctx := index(t), context.Background()
	p := vector.Partition{Suffix: "_k", Workspace: "ws_f", Corpus: vector.Rules}
	var all []string
	for i := range 60 {
		all = append(all, fmt.Sprintf("clause %d liability%s", i%7, fmt.Sprintf(" cap%d penalty delivery supplier", i%3)))
		if i%5 == 0 {
			all[i] += " liability penalty notice termination renewal"
		}
	}
	require.NoError(t, x.Insert(ctx, p, texts("src_f", all...)))
	const question = "liability notice of clause 3"
	hits, err := x.Keywords(ctx, p, vector.Query{Text: question, Limit: 60})
	require.NoError(t, err)
	require.Len(t, hits, 60)
	for _, hit := range hits {
		var at int
		_, err := fmt.Sscan(hit.Item, &at)
		require.NoError(t, err)
		require.InDelta(t, bm25(question, all, at), hit.Keyword, 0.02, all[at])
	}
}

func TestDistanceIsThatOfTheCosine(t *testing.T) {
	require.InDelta(t, 0, vector.Distance(unit(3), unit(3)), 1e-6)
	require.InDelta(t, 0.4, vector.Distance([]float32{1, 0}, []float32{0.6, 0.8}), 1e-6)
	require.InDelta(t, 2, vector.Distance([]float32{1, 0}, []float32{-1, 0}), 1e-6)
	require.InDelta(t, 1, vector.Distance(unit(3), []float32{1}), 1e-6, "of another length")
}
