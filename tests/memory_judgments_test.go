package tests

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// judgmentView is one item of judgments/query.
type judgmentView struct {
	RecordID       string         `json:"recordId"`
	Reasoning      string         `json:"reasoning"`
	Decision       string         `json:"decision"`
	Confidence     float64        `json:"confidence"`
	JudgeType      string         `json:"judgeType"`
	ContentType    string         `json:"contentType"`
	ActionUser     map[string]any `json:"actionUser"`
	CreatedAt      int64          `json:"createdAt"`
	OrganizationID *string        `json:"organizationId"`
	DocumentID     *string        `json:"documentId"`
	Agent          any            `json:"agent"`
}

type judgmentPage struct {
	Results    []judgmentView `json:"results"`
	Total      int            `json:"total"`
	NextCursor *string        `json:"nextCursor"`
	HasMore    bool           `json:"hasMore"`
}

const queryJudgments = "memory/judgments/query"

// judgments is one page of judgments/query.
func (s *scene) judgments(data map[string]any) judgmentPage {
	s.t.Helper()
	var page judgmentPage
	if data == nil {
		data = map[string]any{}
	}
	s.call(queryJudgments, data, &page)
	return page
}

// reviewed lets ann decide executions of a definition scoped to nothing.
func (s *scene) reviewed(definitionID, decision, reason string, change ...func(*client.Dispatch)) *run {
	s.t.Helper()
	r := s.dispatch(definitionID, change...)
	step := r.waitsAt("review")
	s.call("workflow/steps/recordReviewerDecision", map[string]any{
		"executionId": r.id, "stepId": step.StepID, "reviewerId": "ann", "decision": decision, "reason": reason,
	}, nil)
	return r
}

func at(organizationID, documentID string) func(*client.Dispatch) {
	return func(d *client.Dispatch) { d.OrganizationID, d.DocumentID = organizationID, documentID }
}

func TestJudgmentsQuery_6_ADecisionIsThereInTheVeryNextRequest(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	s.create(client.Definition{
		DefinitionID: id, Name: "Sign-off", Nodes: []client.Node{client.Human("review", "ann"), client.Mock("publish")},
		Edges: client.Both("review", "publish"), Custom: map[string]any{"contentType": "article"},
	})
	s.call("users/add", map[string]any{"organizationId": "acme", "users": []map[string]any{{"userId": "ann", "name": "Ann", "email": "ann@example.com"}}}, nil)
	s.reviewed(id, "approve", "Well sourced.", at("acme", "spring"), input(map[string]any{"content": "The text."}))
	page := s.judgments(nil)
	require.Equal(t, 1, page.Total)
	require.False(t, page.HasMore)
	require.Nil(t, page.NextCursor)
	found := page.Results[0]
	require.Equal(t, "acme", *found.OrganizationID)
	require.Equal(t, "spring", *found.DocumentID)
	require.NotZero(t, found.CreatedAt)
	require.Regexp(t, "^jdg_", found.RecordID)
	found.OrganizationID, found.DocumentID, found.CreatedAt, found.RecordID = nil, nil, 0, ""
	require.Equal(t, judgmentView{
		Reasoning: "Well sourced.", Decision: "approve", Confidence: 0.95, JudgeType: "human", ContentType: "article",
		ActionUser: map[string]any{"userId": "ann", "name": "Ann", "email": "ann@example.com"},
	}, found)
}

func TestJudgmentsQuery_ADefinitionsBlankTypeIsNone(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	s.create(client.Definition{
		DefinitionID: id, Name: "Sign-off", Nodes: []client.Node{client.Human("review", "ann"), client.Mock("publish")},
		Edges: client.Both("review", "publish"), Custom: map[string]any{"contentType": " "},
	})
	s.reviewed(id, "approve", " ")
	found := s.judgments(nil).Results[0]
	require.Equal(t, []any{"workflow", 0.75}, []any{found.ContentType, found.Confidence})
}

func TestJudgmentsQuery_1and4_FiltersPagesAndTotals(t *testing.T) {
	s := begin(t)
	flow := s.signOff()
	const count = 5
	for i := range count {
		decision := "approve"
		if i == 2 {
			decision = "reject"
		}
		s.reviewed(flow, decision, "", at("acme", ""))
	}
	for _, spelling := range []string{"reject", "Rejected", "changes-requested"} {
		require.Equal(t, 1, s.judgments(map[string]any{"decision": spelling}).Total, spelling)
	}
	require.Zero(t, s.judgments(map[string]any{"decision": "unheard of"}).Total, "an unknown word gives none")
	require.Zero(t, s.judgments(map[string]any{"organizationId": "other"}).Total)
	require.Zero(t, s.judgments(map[string]any{"judgeType": "agent"}).Total)
	require.Equal(t, count, s.judgments(map[string]any{"reviewerId": "ann", "contentType": "workflow", "organizationId": "acme"}).Total)
	var seen []judgmentView
	data := map[string]any{"limit": 2, "organizationId": "acme"}
	for {
		page := s.judgments(data)
		require.Equal(t, count, page.Total)
		seen = append(seen, page.Results...)
		if !page.HasMore {
			break
		}
		data["cursor"] = *page.NextCursor
	}
	require.Len(t, seen, count)
	for i := 1; i < count; i++ {
		require.GreaterOrEqual(t, seen[i-1].CreatedAt, seen[i].CreatedAt, "newest first")
	}
	delete(data, "organizationId")
	s.refusedAs("INVALID_ARGUMENT", queryJudgments, data)
	stranger := s.elsewhere()
	require.Zero(t, stranger.judgments(map[string]any{"organizationId": "acme"}).Total, "another workspace's")
	data["organizationId"] = "acme"
	stranger.refusedAs("INVALID_ARGUMENT", queryJudgments, data)
}

// manyWritten are comments, each a millisecond after the one before.
func manyWritten(count int) []map[string]any {
	all := make([]map[string]any, count)
	for i := range all {
		all[i] = wrote("ann", fmt.Sprint("comment ", i), map[string]any{"createdAt": 1_700_000_000_000 + i})
	}
	return all
}

func TestJudgmentsQuery_3_OneMillisecondPagesThrough(t *testing.T) {
	s, _ := beginAt(t, undriven) // nobody brings them into the index
	const count, atOnce = 10_000, 100
	created := map[string]any{"createdAt": time.Now().Add(-time.Hour).UnixMilli()}
	for from := 0; from < count; from += atOnce {
		list := make([]map[string]any, atOnce)
		for i := range list {
			list[i] = verdict("ann", "approve", created, map[string]any{"recordId": fmt.Sprintf("r%05d", from+i)})
		}
		s.record(listed(list...))
	}
	data, next := map[string]any{"limit": atOnce}, count
	for more := true; more; {
		page := s.judgments(data)
		require.Equal(t, count, page.Total)
		for _, found := range page.Results {
			next--
			require.Equal(t, fmt.Sprintf("r%05d", next), found.RecordID, "none is left out and none comes twice")
		}
		if more = page.HasMore; more {
			data["cursor"] = *page.NextCursor
		}
	}
	require.Zero(t, next)
}

func TestJudgmentsQuery_2_Shapes(t *testing.T) {
	s := begin(t)
	for _, data := range []map[string]any{
		{"limit": 0},
		{"limit": 101},
		{"limit": "20"},
		{"documentId": "d"},
		{"annotationId": "a"},
		{"judgeType": "robot"},
		{"decision": " "},
		{"contentType": " "},
		{"cursor": "x"},
	} {
		s.refusedAs("INVALID_ARGUMENT", queryJudgments, data)
	}
	require.Empty(t, s.judgments(map[string]any{"organizationId": "a", "annotationId": "b", "limit": 100}).Results)
}

// What an edited comment says stands in its judgment from then on, and is what a search
// finds; once the judgment was deleted, no edit brings it back.
func TestJudgmentsDelete_2_AnEditDoesNotBringItBack(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", liability), wrote("ann", "The carpet in the lobby is blue."))
	before := s.judgments(inAcme(map[string]any{"documentId": "d"}))
	require.Equal(t, 2, before.Total)
	s.remembers()
	const insured = "The insurance of the supplier covers damage by water."
	s.edit(edited(says(insured), 1))
	after := s.judgments(inAcme(map[string]any{"documentId": "d"}))
	require.Equal(t, 2, after.Total)
	for i := range after.Results {
		if was := &before.Results[i]; was.Reasoning == liability {
			was.Reasoning = insured
		}
	}
	require.Equal(t, before.Results, after.Results, "the same judgment says something else")
	s.remembers()
	query := "Does the supplier have insurance against water?"
	found := s.nearest(query, map[string]any{"limit": 1}).Results[0]
	require.Equal(t, insured, found.Reasoning)
	s.edit(edited(map[string]any{"context": map[string]any{"page": 2}}, 1))
	require.Equal(t, after.Results, s.judgments(inAcme(map[string]any{"documentId": "d"})).Results)

	require.Equal(t, map[string]bool{found.RecordID: true}, s.forget(found.RecordID))
	s.edit(edited(says("The insurance covers damage by fire, too."), 1))
	left := s.judgments(inAcme(map[string]any{"documentId": "d"}))
	require.Equal(t, 1, left.Total)
	require.NotEqual(t, found.RecordID, left.Results[0].RecordID)
	require.NotContains(t, s.nearest(query, nil).ids(), found.RecordID)
	s.edit(edited(says(""), 2))
	require.Zero(t, s.judgments(inAcme(map[string]any{"documentId": "d"})).Total, "of a comment that says nothing there is none")
	require.Empty(t, s.nearest(query, nil).Results)
	s.edit(edited(says("The carpet in the lobby is red."), 1, 2))
	again := s.judgments(inAcme(map[string]any{"documentId": "d"}))
	require.Equal(t, []any{1, "The carpet in the lobby is red."}, []any{again.Total, again.Results[0].Reasoning}, "of the one that was not deleted")
}
