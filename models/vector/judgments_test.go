package vector_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/vector"
)

func judgmentsOf(workspace string) vector.Partition {
	return vector.Partition{Suffix: "_t", Workspace: workspace, Corpus: vector.Judgments}
}

// acts are judgments about documents 10 and 11 of organization 1, and about nothing.
func acts() []vector.Judgment {
	return []vector.Judgment{
		{
			Key: 1, Organization: new(int64(1)), Document: new(int64(10)), Decision: "approve", JudgeType: "human", ContentType: "Contract",
			Reviewer: "ann", Annotation: new("note"), CreatedAt: 1_700_000_000_001, Review: unit(1), Content: unit(101),
		},
		{
			Key: 2, Organization: new(int64(1)), Document: new(int64(11)), Decision: "reject", JudgeType: "agent", ContentType: "contract",
			Reviewer: "bot", CreatedAt: 1_700_000_000_002, Review: unit(2),
		},
		{Key: 3, Decision: "comment", JudgeType: "human", ContentType: "general", Reviewer: "ann", CreatedAt: 1_700_000_000_003, Review: unit(3), Content: unit(103)},
	}
}

func keysFor(t *testing.T, x *vector.Index, p vector.Partition, q vector.JudgmentQuery) []int64 {
	t.Helper()
	hits, err := x.NearestJudgments(t.Context(), p, q)
	require.NoError(t, err)
	keys := []int64{}
	for _, hit := range hits {
		keys = append(keys, hit.Key)
	}
	slices.Sort(keys)
	return keys
}

// Every filter is part of the search, alone and together with others.
func TestJudgmentsAreNarrowedInTheIndex(t *testing.T) {
	x, p := index(t), judgmentsOf("ws_narrow")
	require.NoError(t, x.InsertJudgments(t.Context(), p, acts()))
	for name, c := range map[string]struct {
		q    vector.JudgmentQuery
		want []int64
	}{
		"all":                     {vector.JudgmentQuery{}, []int64{1, 2, 3}},
		"organization":            {vector.JudgmentQuery{Organizations: []int64{1, 7}}, []int64{1, 2}},
		"document":                {vector.JudgmentQuery{Documents: []int64{11}}, []int64{2}},
		"decisions":               {vector.JudgmentQuery{Decisions: []string{"reject", "comment"}}, []int64{2, 3}},
		"judge type":              {vector.JudgmentQuery{JudgeType: "human"}, []int64{1, 3}},
		"content type":            {vector.JudgmentQuery{ContentType: "contract"}, []int64{2}},
		"reviewer":                {vector.JudgmentQuery{Reviewer: "ann"}, []int64{1, 3}},
		"annotation":              {vector.JudgmentQuery{Annotation: "note"}, []int64{1}},
		"from":                    {vector.JudgmentQuery{From: new(int64(1_700_000_000_002))}, []int64{2, 3}},
		"to":                      {vector.JudgmentQuery{To: new(int64(1_700_000_000_002))}, []int64{1, 2}},
		"without documents":       {vector.JudgmentQuery{ExcludeDocuments: []int64{10, 11}}, []int64{3}},
		"without an organization": {vector.JudgmentQuery{ExcludeOrganizations: []int64{1}}, []int64{3}},
		"several":                 {vector.JudgmentQuery{Organizations: []int64{1}, Reviewer: "ann", Decisions: []string{"approve"}}, []int64{1}},
		"none":                    {vector.JudgmentQuery{Reviewer: "ann", JudgeType: "agent"}, []int64{}},
		"those with content":      {vector.JudgmentQuery{Among: vector.Content, Vector: unit(101)}, []int64{1, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			c.q.Limit = 10
			if c.q.Vector == nil {
				c.q.Vector, c.q.Among = unit(1), vector.Review
			}
			require.Equal(t, c.want, keysFor(t, x, p, c.q))
		})
	}
	hits, err := x.NearestJudgments(t.Context(), p, vector.JudgmentQuery{Vector: unit(2), Among: vector.Review, Limit: 1})
	require.NoError(t, err)
	require.EqualValues(t, 2, hits[0].Key)
	require.InDelta(t, 0, hits[0].Distance, 1e-5)
	require.Nil(t, hits[0].Review)

	hits, err = x.NearestJudgments(t.Context(), p, vector.JudgmentQuery{Vector: unit(103), Among: vector.Content, Limit: 1, Vectors: true})
	require.NoError(t, err)
	require.EqualValues(t, 3, hits[0].Key)
	require.InDeltaSlice(t, unit(3), hits[0].Review, 1e-5, "the vector that was not searched")
	require.InDeltaSlice(t, unit(103), hits[0].Content, 1e-5)
}

// unlike are judgments as near as can be to the vector of seed 1, two kinds of them, and at
// the end rare ones that point away from it: they have the decision of the one kind and
// the type of content of the other, and a reviewer of their own.
func unlike(common, rare int) []vector.Judgment {
	all := make([]vector.Judgment, common+rare)
	for i := range all {
		all[i] = vector.Judgment{
			Key: int64(1 + i), Decision: "approve", ContentType: "article", JudgeType: "human", Reviewer: "ann", CreatedAt: 1, Review: unit(1),
		}
		if i%2 == 1 || i >= common {
			all[i].Decision = "reject"
		}
		if i < common {
			all[i].ContentType = []string{"article", "general"}[i%2]
			continue
		}
		all[i].Reviewer, all[i].CreatedAt, all[i].Review = "eve", 2, opposite(unit(1))
	}
	return all
}

// However many are nearer that do not match, as many as match are found: by one condition,
// and by two that each fit hundreds and together a few.
func TestMemorySearch_1_NearerOnesThatDoNotMatchTakeNoPlace(t *testing.T) {
	x, p := index(t), judgmentsOf("ws_unlike")
	const common, rare = 300, 12
	require.NoError(t, x.InsertJudgments(t.Context(), p, unlike(common, rare)))
	var want []int64
	for i := range rare {
		want = append(want, int64(1+common+i))
	}
	both := vector.JudgmentQuery{Decisions: []string{"reject"}, ContentType: "article"}
	for name, q := range map[string]vector.JudgmentQuery{
		"reviewer": {Reviewer: "eve"}, "from": {From: new(int64(2))}, "two conditions": both,
	} {
		q.Vector, q.Among, q.Limit = unit(1), vector.Review, 5
		require.Len(t, keysFor(t, x, p, q), 5, name)
		q.Limit = rare + 10
		require.Equal(t, want, keysFor(t, x, p, q), name)
	}
}

// A judgment that is written again has its new vectors once it was removed first.
func TestAJudgmentIsRemovedByItsKey(t *testing.T) {
	x, p := index(t), judgmentsOf("ws_again")
	all := acts()
	require.NoError(t, x.InsertJudgments(t.Context(), p, all))
	require.NoError(t, x.InsertJudgments(t.Context(), p, []vector.Judgment{{Key: 4, Decision: "approved", JudgeType: "human", Review: unit(1)}, {Key: 5, Decision: "approved", JudgeType: "human", Review: unit(1)}}))
	for range 2 { // some, and then all of them, are gone already
		require.NoError(t, x.DeleteAll(t.Context(), p, []string{p.JudgmentID(1), p.JudgmentID(4), p.JudgmentID(9), p.JudgmentID(5)}))
	}
	require.NoError(t, x.DeleteAll(t.Context(), judgmentsOf("ws_nobody"), []string{p.JudgmentID(1)}))
	for partition, want := range map[vector.Partition]bool{
		p: true, judgmentsOf("ws_nobody"): false, {Suffix: "_never", Workspace: "ws_again", Corpus: vector.Judgments}: false,
	} {
		there, err := x.Holds(t.Context(), partition)
		require.NoError(t, err)
		require.Equal(t, want, there, "%v", partition)
	}
	require.Equal(t, []int64{2, 3}, keysFor(t, x, p, vector.JudgmentQuery{Vector: unit(1), Among: vector.Review, Limit: 10}))
	all[0].Review, all[0].Content = unit(50), nil
	require.NoError(t, x.InsertJudgments(t.Context(), p, all[:1]))
	require.Equal(t, []int64{1}, keysFor(t, x, p, vector.JudgmentQuery{Vector: unit(50), Among: vector.Review, Limit: 1}))
	require.Equal(t, []int64{3}, keysFor(t, x, p, vector.JudgmentQuery{Vector: unit(50), Among: vector.Content, Limit: 10}))
	require.NoError(t, x.DeleteWorkspace(t.Context(), "_t", "ws_again"))
	_, err := x.NearestJudgments(t.Context(), p, vector.JudgmentQuery{Vector: unit(1), Among: vector.Review, Limit: 1})
	require.ErrorIs(t, err, vector.ErrNoTenant)
}
