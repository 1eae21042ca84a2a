package mcp

import (
	"context"

	redline "github.com/redline-svc/redline/clients/go"
)

type searchKnowledge struct {
	Query        string   `json:"query" jsonschema:"what to look for, as a sentence or key words"`
	SourceIDs    []string `json:"sourceIds,omitempty" jsonschema:"only these sources, at most 30"`
	IncludeRules bool     `json:"includeRules,omitempty" jsonschema:"also sentences that require or forbid something"`
	Limit        int64    `json:"limit,omitempty" jsonschema:"1 to 50, usually 10"`
}

type searchJudgments struct {
	Query          string `json:"query" jsonschema:"the question that was decided about, or the reasoning"`
	OrganizationID string `json:"organizationId,omitempty" jsonschema:"only of this organization"`
	DocumentID     string `json:"documentId,omitempty" jsonschema:"only of this document; needs organizationId"`
	Decision       string `json:"decision,omitempty" jsonschema:"only with this decision: approve, reject, or your own word"`
	ReviewerID     string `json:"reviewerId,omitempty" jsonschema:"only by this person"`
	Limit          int64  `json:"limit,omitempty" jsonschema:"1 to 50, usually 10"`
}

type question struct {
	Query          string `json:"query" jsonschema:"what is to be decided, with the facts that matter, or the question"`
	OrganizationID string `json:"organizationId,omitempty" jsonschema:"where it belongs; judgments nearest to it count first"`
	DocumentID     string `json:"documentId,omitempty" jsonschema:"needs organizationId"`
}

// addMemory adds the tools of the review memory.
func (s *server) addMemory() {
	tool(s, "search_knowledge", "Find passages of the knowledge base (guides, policies) by meaning and by words, best first. "+
		"Scores are distances: smaller is nearer. Nothing found is an empty list, which says nothing about the question.", s.searchKnowledge)
	tool(s, "search_judgments", "Find past decisions by what was decided and why, best first, with reviewer, decision, reasoning and similarity (1 is equal).", s.searchJudgments)
	tool(s, "suggest", "Say what past judgments advise about something new: approve or reject, with confidence, reasons and caveats. "+
		"primary is null where too little is known; conflict is set where reviewers disagreed: report both then. It is advice and decides nothing.", s.suggest)
	tool(s, "ask", "Answer a question out of judgments and knowledge, in their own sentences, each with its citation. "+
		"An empty answer means that no record answers; do not fill it in.", s.ask)
}

func (s *server) searchKnowledge(ctx context.Context, in searchKnowledge) (answer, error) {
	request := redline.KnowledgeSearchRequest{Query: in.Query, Hybrid: new(true), Limit: new(atMost(in.Limit, 10, 50)), IncludeRules: &in.IncludeRules}
	if len(in.SourceIDs) > 0 {
		request.SourceID = in.SourceIDs
	}
	found, err := s.o.Client.Knowledge.Search(ctx, request)
	return best(found.Results), err
}

func (s *server) searchJudgments(ctx context.Context, in searchJudgments) (answer, error) {
	found, err := s.o.Client.Memory.Search(ctx, redline.SearchJudgmentsRequest{
		Query: in.Query, OrganizationID: sent(in.OrganizationID), DocumentID: sent(in.DocumentID), Limit: new(atMost(in.Limit, 10, 50)),
		Filters: &redline.JudgmentFilters{Decision: sent(in.Decision), ReviewerID: sent(in.ReviewerID)},
	})
	return best(found.Results), err
}

func (s *server) suggest(ctx context.Context, in question) (answer, error) {
	advised, err := s.o.Client.Memory.Suggest(ctx, redline.SuggestRequest{Query: in.Query, OrganizationID: sent(in.OrganizationID), DocumentID: sent(in.DocumentID)})
	return answer{Result: advised}.cut(), err
}

func (s *server) ask(ctx context.Context, in question) (answer, error) {
	said, err := s.o.Client.Memory.Ask(ctx, redline.AskRequest{Question: in.Query, OrganizationID: sent(in.OrganizationID), DocumentID: sent(in.DocumentID)})
	return answer{Result: said}.cut(), err
}
