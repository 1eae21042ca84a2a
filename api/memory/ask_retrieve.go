package memory

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/answer"
	"github.com/redline-svc/redline/internal/fault"
	judgments "github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

// How many records of each kind a question is answered from at most.
const (
	askedJudgments = 20
	askedChunks    = 12
	askedRules     = 8
)

// judgmentsLimit is how long the judgments are waited for, as long as for knowledge.
const judgmentsLimit = 5 * time.Second

// knowledgeNear finds chunks and rules by meaning (*knowledge.Knowledge).
type knowledgeNear interface {
	Nearest(ctx context.Context, workspaceID string, index search.VectorIndex, n search.Near) (*search.Found, error)
}

// bothIndexes finds judgments and knowledge (*vector.Index).
type bothIndexes interface {
	judgments.VectorIndex
	search.VectorIndex
}

// retrieved are the records that a question is answered from, each with how it is cited.
// away is the fault of an index that did not answer for some kinds of them.
type retrieved struct {
	records []answer.Record
	cited   []Citation
	away    error
}

func (r *retrieved) add(similarity float64, cited Citation, texts ...string) {
	r.records = append(r.records, answer.Record{Texts: texts, Similarity: similarity})
	r.cited = append(r.cited, cited)
}

// retrieve finds the records. One kind whose index is away is left out: what has no
// similarity to the question is no answer to it. If that leaves nothing, the index is away.
func (a *Answers) retrieve(ctx context.Context, req *AskRequest, q *question) (*retrieved, error) {
	kinds := []func(context.Context, *AskRequest, *question) (*retrieved, error){a.judgments}
	if req.withKnowledge() {
		kinds = append(kinds, a.chunks, a.rules)
	}
	parts := make([]*retrieved, len(kinds))
	group, shared := errgroup.WithContext(ctx)
	for i, find := range kinds {
		group.Go(func() (err error) {
			parts[i], err = find(shared, req, q)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := &retrieved{}
	for _, part := range parts {
		all.records, all.cited = append(all.records, part.records...), append(all.cited, part.cited...)
		if part.away != nil {
			all.away = part.away
		}
	}
	if all.away != nil && len(all.records) == 0 {
		return nil, all.away
	}
	return all, nil
}

// judgments are the nearest by either of their vectors. One that both find counts once,
// with the better similarity.
func (a *Answers) judgments(ctx context.Context, req *AskRequest, q *question) (*retrieved, error) {
	own, cancel := context.WithTimeout(ctx, judgmentsLimit)
	defer cancel()
	found, err := near(own, a.Judgments, a.Index, rpc.CallerFrom(ctx).WorkspaceID, judgments.Near{
		Filter: req.filter(), Vector: q.matter, Model: q.model, Among: bothVectors, Limit: askedJudgments, Contents: true,
	})
	switch {
	case fault.Is(err, fault.StatusUnavailable):
		return &retrieved{away: err}, nil
	case err != nil:
		return nil, err
	}
	part := &retrieved{}
	for _, h := range found.Hits[:min(len(found.Hits), askedJudgments)] {
		part.add(q.thresholds.Likeness(h.Similarity), Citation{Kind: "judgment", RecordID: h.RecordID}, h.Reasoning, h.Content)
	}
	return part, nil
}

func (a *Answers) chunks(ctx context.Context, req *AskRequest, q *question) (*retrieved, error) {
	return a.known(ctx, req, q, vector.Chunks, askedChunks)
}

func (a *Answers) rules(ctx context.Context, req *AskRequest, q *question) (*retrieved, error) {
	return a.known(ctx, req, q, vector.Rules, askedRules)
}

// known are the nearest items of a corpus of knowledge.
func (a *Answers) known(ctx context.Context, req *AskRequest, q *question, corpus vector.Corpus, limit int) (*retrieved, error) {
	found, err := a.Knowledge.Nearest(ctx, rpc.CallerFrom(ctx).WorkspaceID, a.Index, search.Near{
		Corpus: corpus, Vector: q.knowledge, Model: q.model, OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, Limit: limit,
	})
	switch {
	case err != nil:
		return nil, err
	case found.Moved:
		return nil, errMoved
	case found.Degraded:
		return &retrieved{away: withoutIndex(context.DeadlineExceeded)}, nil
	}
	part := &retrieved{}
	for _, item := range found.Items {
		shown := hit(item, true)
		part.add(1-float64(*item.Score), Citation{Kind: shown.Kind, SourceID: shown.SourceID, RuleID: shown.RuleID}, shown.Text)
	}
	return part, nil
}
