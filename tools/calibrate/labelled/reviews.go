package labelled

import "fmt"

// Reviews are judgments of two kinds of work, all of one organization, and situations among
// which look-alikes were judged the other way.
type Reviews struct {
	Name       string     `json:"-"`
	Judgments  []Reviewed `json:"judgments"`
	Situations []Asked    `json:"situations"`
}

// Reviewed is a judgment made today, sure as people are; Topic says what it is about.
type Reviewed struct {
	Topic     string `json:"topic"`
	Decision  string `json:"decision"`
	Content   string `json:"content"`
	Reasoning string `json:"reasoning"`
	Reviewer  string `json:"reviewer"`
	Document  string `json:"document"`
}

// Asked is a situation: its kind, and what is under review.
type Asked struct {
	Kind  Kind   `json:"kind"`
	Query string `json:"query"`
}

// reviewed are the sets of Reviews, usual how sure their people are.
var reviewed = []string{"suggest-a", "suggest-b"}

const usual = 0.95

func loadReviews() ([]Reviews, error) {
	var all []Reviews
	for _, name := range reviewed {
		set, err := readOne[Reviews](name)
		if err != nil {
			return nil, err
		}
		set.Name = name
		if err := set.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, set)
	}
	return all, nil
}

func (r *Reviews) check() error {
	for _, s := range r.Situations {
		if s.Kind == "" || s.Query == "" {
			return fmt.Errorf("kind or query is missing in %+v", s)
		}
	}
	return checkAll(r.History())
}

// History are the judgments as those of situations.
func (r *Reviews) History() []Judgment {
	all := make([]Judgment, len(r.Judgments))
	for i, j := range r.Judgments {
		all[i] = Judgment{Reviewer: j.Reviewer, Decision: j.Decision, Reasoning: j.Reasoning, Content: j.Content, Document: j.Document, Confidence: usual}
	}
	return all
}

// Planted are practices of two organizations among judgments of which no three are alike.
type Planted struct {
	Groups    map[string]Group `json:"groups"`
	Judgments []PlantedIn      `json:"judgments"`
	// Words are those that only one organization uses.
	Words map[string][]string `json:"words"`
}

// Group is a practice. Those of one Span are one of the whole workspace.
type Group struct {
	OrganizationID string  `json:"organizationId"`
	Decision       string  `json:"decision"`
	Agree          int     `json:"agree"`
	Votes          int     `json:"votes"`
	Category       *string `json:"category"`
	ContentType    string  `json:"contentType"`
	Span           *string `json:"span"`
}

// PlantedIn is a judgment, of a practice where its group is one.
type PlantedIn struct {
	N              int    `json:"n"`
	Group          string `json:"group"`
	OrganizationID string `json:"organizationId"`
	Decision       string `json:"decision"`
	ContentType    string `json:"contentType"`
	Content        string `json:"content"`
	Reasoning      string `json:"reasoning"`
	DocumentID     string `json:"documentId"`
	Reviewer       string `json:"reviewer"`
	Age            int    `json:"age"`
	Category       string `json:"category"`
}
