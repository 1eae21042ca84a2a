package memory

import (
	"context"
	"errors"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/answer"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	judgments "github.com/redline-svc/redline/models/judgment"
)

// sentencesLimit is how long the vectors of the sentences of what was found are waited
// for. A busy model lets them wait behind what is being brought in.
const sentencesLimit = 10 * time.Second

// AskRequest is a question to what was judged and to what is known.
type AskRequest struct {
	Question         string          `json:"question" minLength:"1" maxLength:"8000" notBlank:"true"`
	OrganizationID   string          `json:"organizationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id"`
	DocumentID       string          `json:"documentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"spring" doc:"needs organizationId"`
	Filters          JudgmentFilters `json:"filters,omitempty" doc:"of judgments; knowledge is not narrowed by them"`
	RecencyDays      int             `json:"recencyDays,omitempty" minimum:"1" maximum:"365" doc:"judgments of so many days; dateRange has no effect then"`
	IncludeKnowledge *bool           `json:"includeKnowledge,omitempty" doc:"default true: chunks and rules besides judgments"`
}

// Validate wants the organization of a document or an annotation.
func (r *AskRequest) Validate() []fault.Issue {
	var issues []fault.Issue
	at := rpc.IssuesIn(&issues)
	if r.OrganizationID == "" && (r.DocumentID != "" || r.Filters.AnnotationID != "") {
		at.At("organizationId").Add(shape.Required, "is required with documentId and annotationId")
	}
	r.Filters.DateRange.check(at.At("filters", "dateRange"))
	return issues
}

// filter is what the judgments must have.
func (r *AskRequest) filter() judgments.Filter {
	f := r.Filters.recent(r.RecencyDays)
	f.OrganizationID, f.DocumentID = r.OrganizationID, r.DocumentID
	return f
}

// withKnowledge reports whether chunks and rules are asked as well.
func (r *AskRequest) withKnowledge() bool { return r.IncludeKnowledge == nil || *r.IncludeKnowledge }

// AskResult is what the records say, word for word.
type AskResult struct {
	Answer          string     `json:"answer" doc:"sentences of the records, a line each, best first; empty when none of them answers"`
	Citations       []Citation `json:"citations" doc:"one for each sentence, in their order"`
	Confidence      float64    `json:"confidence" minimum:"0" maximum:"1"`
	RecordsSearched int        `json:"recordsSearched" doc:"the judgments, chunks and rules that were found"`
}

// Citation says where a sentence stands: in the reasoning or content of a judgment, in a
// chunk of a source, or as a rule of it.
type Citation struct {
	Kind     string `json:"kind" enum:"judgment,chunk,rule"`
	RecordID string `json:"recordId,omitempty" doc:"of a judgment"`
	SourceID string `json:"sourceId,omitempty" doc:"of a chunk or rule"`
	RuleID   string `json:"ruleId,omitempty" doc:"of a rule"`
	Snippet  string `json:"snippet"`
}

// AnswerParts are what the area is made of.
type AnswerParts struct {
	Judgments nearbyStore
	Knowledge knowledgeNear
	Index     bothIndexes
	Questions Questions
}

// Answers is the operation that answers questions.
type Answers struct{ AnswerParts }

// NewAnswers makes the operation.
func NewAnswers(p AnswerParts) *Answers { return &Answers{p} }

// Ask answers with sentences of judgments, chunks and rules that are near in meaning. It
// stores nothing. Where the index does not answer for some of them, the rest answers.
func (a *Answers) Ask(ctx context.Context, req *AskRequest) (*AskResult, error) {
	result := &AskResult{Citations: []Citation{}}
	err := a.Questions.with(ctx, req.Question, func(q *question) error {
		found, err := a.retrieve(ctx, req, q)
		if err != nil {
			return err
		}
		said, err := compose(ctx, req.Question, q, found.records)
		if err != nil {
			return err
		}
		if found.away != nil {
			rpc.SetHeader(ctx, "X-Svc-Degraded", "partial")
		}
		result = viewAnswer(said, found)
		return nil
	}, embed.Query, embed.Matter)
	return result, err
}

// compose answers within the time that there is for it.
func compose(ctx context.Context, text string, q *question, records []answer.Record) (answer.Answer, error) {
	own, cancel := context.WithTimeout(ctx, sentencesLimit)
	defer cancel()
	model := func(ctx context.Context, sentences []string) ([][]float32, error) {
		return q.embedder.Embed(ctx, sentences, embed.Passage)
	}
	said, err := answer.Compose(own, answer.Question{Text: text, Vector: q.knowledge}, records, model,
		answer.Thresholds{Floor: q.thresholds.Answer, Strong: q.thresholds.Certain})
	if err != nil && !errors.Is(err, answer.ErrVectors) {
		return said, withoutEmbedder(err)
	}
	return said, err
}

func viewAnswer(said answer.Answer, found *retrieved) *AskResult {
	result := &AskResult{Answer: said.Text, Citations: []Citation{}, Confidence: said.Confidence, RecordsSearched: len(found.records)}
	for _, c := range said.Citations {
		cited := found.cited[c.Record]
		cited.Snippet = c.Snippet
		result.Citations = append(result.Citations, cited)
	}
	return result
}
