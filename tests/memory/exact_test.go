package memory

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// equallyFar is how far two distances may be apart and count as equal: the index reckons in
// float32.
const equallyFar = 1e-5

// passage is a chunk with its vector, as rows have it.
type passage struct {
	Source string
	Vector []byte
}

// distance is that of the cosine from the letters of a question.
func (p passage) distance(question string) float64 {
	letters := make([]float64, len(p.Vector)/4)
	for _, letter := range question {
		letters[int(letter)%len(letters)]++
	}
	var product, one, other float64
	for i, count := range letters {
		number := float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Vector[4*i:])))
		product, one, other = product+number*count, one+number*number, other+count*count
	}
	return 1 - product/math.Sqrt(one*other)
}

// exact are the distances of the nearest passages of some sources, or of all, from a question.
func exact(passages []passage, sources []string, question string, limit int) (nearest []float64) {
	for _, p := range passages {
		if len(sources) == 0 || slices.Contains(sources, p.Source) {
			nearest = append(nearest, p.distance(question))
		}
	}
	slices.Sort(nearest)
	return nearest[:min(limit, len(nearest))]
}

// What a search finds is held against a scan of all vectors: without sources nearly all of
// the nearest are found, of those that are named every one, however many there are.
func TestKnowledgeSearch_2_WhatIsFoundIsWhatAScanFinds(t *testing.T) {
	const shelf, limit, questions = 40, 10, 25
	env, _ := kit.NewVariantWorkspace(t, kit.LettersAsModel)
	random := rand.New(rand.NewPCG(1, 2))
	some := func() string { return facts[random.IntN(len(facts))] }
	sources := make([]string, shelf)
	for i := range sources {
		var text strings.Builder
		for range 10 {
			fmt.Fprintf(&text, "# %s\n\n%s %s\n\n", some(), some(), some())
		}
		sources[i] = kit.Ingest(env, text.String())
	}
	for _, source := range sources {
		kit.BroughtIn(env, source, "completed")
	}
	rows, err := env.DB().Query(t.Context(), `SELECT c.source_id, v.vector FROM chunks c JOIN vectors v ON v.workspace_id = c.workspace_id AND v.text_hash = c.text_hash
WHERE c.workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	passages, err := pgx.CollectRows(rows, pgx.RowToStructByPos[passage])
	require.NoError(t, err)
	for _, named := range []int{0, 1, 2, 30} {
		found, wanted := 0, 0
		for range questions {
			question, data := some()+" "+some(), map[string]any{"limit": limit}
			random.Shuffle(shelf, func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
			if among := slices.Clone(sources[:named]); named == 1 {
				data["sourceId"] = among[0]
			} else if named > 1 {
				data["sourceId"] = among
			}
			nearest := exact(passages, sources[:named], question, limit)
			hits := kit.Search(env, question, data).Results
			require.Len(t, hits, len(nearest))
			for i, hit := range hits {
				if hit.Score <= nearest[i]+equallyFar {
					found++
				}
			}
			wanted += len(nearest)
		}
		t.Logf("%d sources named: %d of %d", named, found, wanted)
		require.GreaterOrEqual(t, float64(found), map[bool]float64{true: 0.99, false: 1}[named == 0]*float64(wanted))
	}
}
