package labelled

import "fmt"

// Paragraph is a paragraph of stored knowledge, or a rule.
type Paragraph struct {
	ID string `json:"id"`
	// Source is the name of the source that it belongs to.
	Source string `json:"source"`
	Text   string `json:"text"`
}

// Question is asked over the body of an Ask.
type Question struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	// Answers are the ids of the records that hold the answer; empty where none does.
	Answers []string `json:"answers"`
}

// Half is the half that the question is in.
func (q *Question) Half() Half { return HalfOf(q.ID) }

// Ask is a stored body and the questions over it.
type Ask struct {
	Judgments []Judgment
	Knowledge []Paragraph
	Rules     []Paragraph
	Questions []Question
}

func loadAsk() (a Ask, err error) {
	if a.Judgments, err = read[Judgment]("ask-judgments"); err != nil {
		return a, err
	}
	if a.Knowledge, err = read[Paragraph]("ask-knowledge"); err != nil {
		return a, err
	}
	if a.Rules, err = read[Paragraph]("ask-rules"); err != nil {
		return a, err
	}
	if a.Questions, err = read[Question]("ask-questions"); err != nil {
		return a, err
	}
	return a, a.check()
}

// check finds what is incomplete, ids that are there twice, and answers that are not.
func (a *Ask) check() error {
	if err := checkAll(a.Judgments); err != nil {
		return fmt.Errorf("judgments to ask: %w", err)
	}
	records := map[string]bool{}
	for _, id := range a.recordIDs() {
		if id == "" || records[id] {
			return fmt.Errorf("record %q has no id, or it is there twice", id)
		}
		records[id] = true
	}
	for _, q := range a.Questions {
		if q.ID == "" || q.Question == "" {
			return fmt.Errorf("question %q: id or question is missing", q.ID)
		}
		for _, answer := range q.Answers {
			if !records[answer] {
				return fmt.Errorf("question %s: there is no record %s", q.ID, answer)
			}
		}
	}
	return nil
}

func (a *Ask) recordIDs() []string {
	var ids []string
	for _, j := range a.Judgments {
		ids = append(ids, j.ID)
	}
	for _, paragraphs := range [][]Paragraph{a.Knowledge, a.Rules} {
		for _, p := range paragraphs {
			ids = append(ids, p.ID)
		}
	}
	return ids
}
