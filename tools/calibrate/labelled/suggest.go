package labelled

import "fmt"

// Judgment is a past act of review, as judgments/record takes it.
type Judgment struct {
	// ID names it where others refer to it: in the body of questions, and in the noise.
	ID string `json:"id,omitempty"`
	// ContentType is set in the noise only; elsewhere it is that of the situation or practice.
	ContentType string `json:"contentType,omitempty"`
	Reviewer    string `json:"reviewer"`
	// Agent is whether the reviewer is a program.
	Agent bool `json:"agent,omitempty"`
	// Decision is approve or reject.
	Decision string `json:"decision"`
	// Related is whether it is about what the situation's query is about; of situations only.
	Related   bool   `json:"related,omitempty"`
	Reasoning string `json:"reasoning"`
	Content   string `json:"content"`
	// Document is the id of the document that was under review.
	Document string `json:"document"`
	// AgeDays is how many days ago it was made.
	AgeDays int `json:"ageDays"`
	// Confidence is between 0 and 1.
	Confidence float64 `json:"confidence"`
}

func (j *Judgment) check() error {
	switch {
	case j.Decision != "approve" && j.Decision != "reject":
		return fmt.Errorf("the decision is %q", j.Decision)
	case j.Reviewer == "" || j.Document == "" || j.Content == "":
		return fmt.Errorf("reviewer, document or content is missing in %+v", *j)
	case j.AgeDays < 0 || j.Confidence <= 0 || j.Confidence > 1:
		return fmt.Errorf("age %d or confidence %g is out of range", j.AgeDays, j.Confidence)
	}
	return nil
}

// Kind is what a careful reviewer expects as suggestion.
type Kind string

// The kinds of situations.
const (
	// Approve and Reject: like things were decided so; at most a weak minority differs.
	Approve Kind = "approve"
	Reject  Kind = "reject"
	// Split: both sides have at least two votes, and the minority over 30 % of the weight.
	Split Kind = "split"
	// Unknown: nothing that any history of the set holds is about the query.
	Unknown Kind = "unknown"
)

// Kinds are all kinds of situations.
var Kinds = []Kind{Approve, Reject, Split, Unknown}

// Situation is something under review in an organization of its own.
type Situation struct {
	ID          string `json:"id"`
	Kind        Kind   `json:"kind"`
	ContentType string `json:"contentType"`
	// Near is whether an unknown one is of a sort of thing that other situations know well
	// (contract, article, design or code), though of another matter.
	Near bool `json:"near,omitempty"`
	// Query is what is under review, as a caller sends it.
	Query string `json:"query"`
	// History are the past judgments of the organization, distractors among them.
	History []Judgment `json:"history"`
}

// Half is the half that the situation is in.
func (s *Situation) Half() Half { return HalfOf(s.ID) }

func loadSituations() ([]Situation, error) {
	var all []Situation
	for _, kind := range Kinds {
		situations, err := read[Situation]("suggest-" + string(kind))
		if err != nil {
			return nil, err
		}
		for i := range situations {
			if err := situations[i].check(kind); err != nil {
				return nil, fmt.Errorf("situation %s: %w", situations[i].ID, err)
			}
		}
		all = append(all, situations...)
	}
	return all, nil
}

func (s *Situation) check(kind Kind) error {
	if s.ID == "" || s.Kind != kind || s.Query == "" || s.ContentType == "" {
		return fmt.Errorf("id, query or content type is missing, or it is not of kind %s", kind)
	}
	return checkAll(s.History)
}
