package definition

import "fmt"

// Limits of a human node.
const (
	maxReviewers   = 50
	maxUserID      = 200
	maxEmail       = 320 // the longest address that mail can carry
	maxCommentBody = 8000
)

// human reads the config of a human node. Reviewers come in one of two
// notations; both end up as Reviewers.
func (p *parser) human(v value) *Human {
	o := p.object(v, "reviewers", "reviewerIds", "reviewerEmails", "commentBody")
	h := &Human{}
	_, newer := o.members["reviewers"]
	_, older := o.members["reviewerIds"]
	switch {
	case newer && older:
		o.fault("reviewerIds", "conflict", "give reviewers or reviewerIds, not both")
	case newer:
		h.Reviewers = p.reviewers(o)
	case older:
		h.Reviewers = p.reviewerIDs(o)
	default:
		o.fault("reviewers", "required", "is required")
	}
	h.ReviewerEmails = o.texts("reviewerEmails", 0, maxReviewers, textRule{min: 1, max: maxEmail})
	h.CommentBody, _ = o.text("commentBody", textRule{max: maxCommentBody})
	return h
}

func (p *parser) reviewers(o *object) []Reviewer {
	var list []Reviewer
	seen, mandatory, faulty := map[string]bool{}, false, false
	for _, v := range o.list("reviewers", 1, maxReviewers) {
		entry := p.object(v, "userId", "mandatory")
		if entry == nil {
			faulty = true
			continue
		}
		user, ok := entry.needText("userId", idRule(maxUserID))
		must, known := entry.boolean("mandatory")
		if _, there := entry.need("mandatory"); !there || !known || !ok {
			faulty = true
			continue
		}
		p.once(seen, user, entry.members["userId"])
		mandatory = mandatory || must
		list = append(list, Reviewer{user, must})
	}
	if !mandatory && !faulty && len(list) > 0 {
		p.report(o.members["reviewers"], "conflict", "at least one reviewer must be mandatory")
	}
	return list
}

// reviewerIDs reads the older notation, in which everybody is mandatory.
func (p *parser) reviewerIDs(o *object) []Reviewer {
	var list []Reviewer
	seen := map[string]bool{}
	for _, v := range o.list("reviewerIds", 1, maxReviewers) {
		if user, ok := p.textOf(v, idRule(maxUserID)); ok {
			p.once(seen, user, v)
			list = append(list, Reviewer{user, true})
		}
	}
	return list
}

// once reports v if its text was seen before.
func (p *parser) once(seen map[string]bool, text string, v value) {
	if seen[text] {
		p.report(v, "duplicate", fmt.Sprintf("%q is given twice", text))
	}
	seen[text] = true
}
