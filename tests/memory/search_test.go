package memory

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// facts are thirty sentences of which no two speak of the same thing.
var facts = []string{
	"The cat sleeps on the warm windowsill.", "Interest on the loan is paid every quarter.", "The glacier loses ten metres a year.",
	"Her violin was built in Cremona.", "The bridge carries two railway tracks.", "Bees tell each other where the flowers are by dancing.",
	"The recipe needs three eggs and some butter.", "The satellite circles the earth in ninety minutes.", "Our lawyer answers letters within a week.",
	"The patient has a fever and a cough.", "The castle was besieged for a whole winter.", "The printer in the hall is out of paper.",
	"Whales sing under water for hours.", "The goalkeeper stopped the penalty kick.", "A volcano erupted on the island last spring.",
	"The baker opens his shop at five in the morning.", "Prime numbers have exactly two divisors.", "The painting shows a girl with a pearl earring.",
	"The ferry leaves for the mainland at noon.", "Copper conducts electricity very well.", "The vineyard lies on a slope that faces south.",
	"Parliament passed the budget after a long debate.", "The telescope sees the rings of Saturn.", "My grandmother knits socks from wool.",
	"The password expires after ninety days.", "The forest burned after a lightning strike.", "The dentist filled two teeth.",
	"The train to Vienna has a dining car.", "The camel can go without water for days.", "The judge postponed the hearing until May.",
}

// library brings the facts in, each as a source of its own.
func library(env *kit.Env) []string {
	env.T.Helper()
	ids := make([]string, len(facts))
	for i, fact := range facts {
		ids[i] = kit.Ingest(env, fact)
	}
	for _, id := range ids {
		kit.BroughtIn(env, id, "completed")
	}
	return ids
}

func TestKnowledgeSearch_1And2_ThirtySourcesAreSearchedAsOne(t *testing.T) {
	env := kit.NewWorkspace(t)
	ids := library(env)
	require.Len(t, ids, 30)
	for question, match := range map[string]int{
		"How does an insect show others the way to food?": 5,
		"When can I cross the sea by ship?":               18,
		"Which metal is good for wires?":                  19,
		"When does the court meet again?":                 29,
	} {
		found := kit.Search(env, question, map[string]any{"sourceId": ids, "limit": 50}).Results
		require.Equal(t, []string{ids[match], facts[match]}, []string{found[0].SourceID, found[0].Text}, question)
		require.True(t, slices.IsSortedFunc(found, func(a, b redline.KnowledgeHit) int { return cmp.Compare(a.Score, b.Score) }), "%+v", found)
		sources := make([]string, len(found))
		for i, hit := range found {
			sources[i] = hit.SourceID
		}
		require.ElementsMatch(t, ids, sources, "each source has its part in the answer")

		turned := slices.Clone(ids)
		slices.Reverse(turned)
		require.Equal(t, found[:10], kit.Search(env, question, map[string]any{"sourceId": turned}).Results, "the nearest of all, whichever the order of the ids")
		others := slices.DeleteFunc(turned, func(id string) bool { return id == ids[match] })
		require.Equal(t, found[1:6], kit.Search(env, question, map[string]any{"sourceId": others, "limit": 5}).Results)
	}
	for _, more := range []string{"src_unknown", ids[0]} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.SearchKnowledge, map[string]any{"query": "x", "sourceId": append(slices.Clone(ids), more)})
		require.Contains(t, failure.Message, "sourceId")
	}
	require.Len(t, kit.Search(env, "x", map[string]any{"sourceId": slices.Repeat(ids[:1], 30)}).Results, 1, "repeated ids count once in the search")
}

// Characters are counted: neither bytes nor UTF-16 units, of which these have
// more.
func TestKnowledgeSearch_1_AQuestionHasEightThousandCharactersAtMost(t *testing.T) {
	env := kit.NewWorkspace(t)
	source := kit.Ingest(env, "The bell is rung at noon.")
	kit.BroughtIn(env, source, "completed")
	for _, filling := range []string{"é", "🔔", "when is the bell rung? 🔔 "} {
		long := []rune(strings.Repeat(filling, 8001))
		found := kit.Search(env, string(long[:8000])).Results
		require.Len(t, found, 1, filling)
		require.NotZero(t, found[0].Score, "it is answered by meaning")
		failure := env.RefusedAs("INVALID_ARGUMENT", client.SearchKnowledge, map[string]any{"query": string(long[:8001])})
		require.Contains(t, failure.Message, "query")
	}
}
