package console

import redline "github.com/redline-svc/redline/clients/go"

// judgmentsView is a page of judgments with what they are filtered by.
type judgmentsView struct {
	Items                            []redline.Judgment
	Total                            int64
	Decision, Reviewer, Organization string
	Next                             string
}

func (c *Console) judgments(v *visit) (*page, error) {
	view := &judgmentsView{Decision: v.asked("decision"), Reviewer: v.asked("reviewer"), Organization: v.asked("organization")}
	found, err := v.calls.Judgments.Query(v.ctx, redline.QueryJudgmentsRequest{
		Decision: given(view.Decision), ReviewerID: given(view.Reviewer), OrganizationID: given(view.Organization), Cursor: v.optional("cursor"), Limit: new(int64(rows)),
	})
	view.Items, view.Total = found.Results, found.Total
	if found.HasMore {
		view.Next = onward("/judgments", textOf(found.NextCursor), "decision", view.Decision, "reviewer", view.Reviewer, "organization", view.Organization)
	}
	return &page{Title: "Judgments", Template: "judgments", Section: "/judgments", Data: view}, err
}

func (c *Console) patterns(v *visit) (*page, error) {
	found, err := v.calls.Patterns.Get(v.ctx, redline.GetPatternsRequest{})
	return &page{Title: "Patterns", Template: "patterns", Section: "/patterns", Data: found}, err
}
