package definition

import (
	"fmt"

	"github.com/redline-svc/redline/internal/shape"
)

// Limits of a human node.
const (
	maxReviewers   = 50
	maxUserID      = 200
	maxEmail       = 320 // the longest address that mail can carry
	maxCommentBody = 8000
)

// human reads the config of a human node. Reviewers come in one of two
// notations; both end up as Reviewers.
func (p *parser) human(v shape.Part) *Human {
	o := p.Object(v, "reviewers", "reviewerIds", "reviewerEmails", "commentBody")
	h := &Human{}
	_, newer := o.Members["reviewers"]
	_, older := o.Members["reviewerIds"]
	switch {
	case newer && older:
		o.Fault("reviewerIds", "conflict", "give reviewers or reviewerIds, not both")
	case newer:
		h.Reviewers = p.reviewers(o)
	case older:
		h.Reviewers = p.reviewerIDs(o)
	default:
		o.Fault("reviewers", "required", "is required")
	}
	h.ReviewerEmails = o.Texts("reviewerEmails", 0, maxReviewers, shape.TextRule{Min: 1, Max: maxEmail})
	h.CommentBody, _ = o.Text("commentBody", shape.TextRule{Max: maxCommentBody})
	return h
}

func (p *parser) reviewers(o *shape.Fields) []Reviewer {
	var list []Reviewer
	seen, mandatory, faulty := map[string]bool{}, false, false
	for _, v := range o.List("reviewers", 1, maxReviewers) {
		entry := p.Object(v, "userId", "mandatory")
		if entry == nil {
			faulty = true
			continue
		}
		user, ok := entry.NeedText("userId", shape.IDRule(maxUserID))
		must, known := entry.Boolean("mandatory")
		if _, there := entry.Need("mandatory"); !there || !known || !ok {
			faulty = true
			continue
		}
		p.once(seen, user, entry.Members["userId"])
		mandatory = mandatory || must
		list = append(list, Reviewer{user, must})
	}
	if !mandatory && !faulty && len(list) > 0 {
		p.Report(o.Members["reviewers"], "conflict", "at least one reviewer must be mandatory")
	}
	return list
}

// reviewerIDs reads the older notation, in which everybody is mandatory.
func (p *parser) reviewerIDs(o *shape.Fields) []Reviewer {
	var list []Reviewer
	seen := map[string]bool{}
	for _, v := range o.List("reviewerIds", 1, maxReviewers) {
		if user, ok := p.TextOf(v, shape.IDRule(maxUserID)); ok {
			p.once(seen, user, v)
			list = append(list, Reviewer{user, true})
		}
	}
	return list
}

// once reports v if its text was seen before.
func (p *parser) once(seen map[string]bool, text string, v shape.Part) {
	if seen[text] {
		p.Report(v, "duplicate", fmt.Sprintf("%q is given twice", text))
	}
	seen[text] = true
}
