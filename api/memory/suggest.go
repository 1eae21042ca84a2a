package memory

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/suggest"
	judgments "github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// scopeLimit is how long one scope may take.
	scopeLimit = 1500 * time.Millisecond
	// candidates are looked at in a scope, for each of the two vectors.
	candidates = 100
	// freshFor is how long it is worth a warning that knowledge was updated.
	freshFor = 48 * time.Hour
	// sameReason is the likeness of two reasonings from which on they say the same.
	sameReason = 0.90
)

// nearbyStore finds judgments by meaning (*judgment.Judgments).
type nearbyStore interface {
	Nearest(ctx context.Context, workspaceID string, index judgments.VectorIndex, q judgments.Near) (*judgments.Nearby, error)
}

// updates counts sources that were updated (*knowledge.Knowledge).
type updates interface {
	UpdatedSources(ctx context.Context, workspaceID string, scope subject.Filter, within time.Duration) (int, error)
}

// SuggestionParts are what the area is made of.
type SuggestionParts struct {
	Store     nearbyStore
	Updates   updates
	Index     judgments.VectorIndex
	Questions Questions
	// Margins gets by how much the advice of each scope is above the floor or under it.
	Margins interface{ Observe(margin float64) }
}

// Suggestions is the operation that advises how to decide.
type Suggestions struct{ SuggestionParts }

// NewSuggestions makes the operation.
func NewSuggestions(p SuggestionParts) *Suggestions { return &Suggestions{p} }

// SuggestRequest asks what people decided about things like this one.
type SuggestRequest struct {
	Query          string `json:"query" minLength:"1" maxLength:"8000" notBlank:"true" doc:"what is to be decided about"`
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"spring" doc:"needs organizationId"`
}

// Validate wants the organization of a document.
func (r *SuggestRequest) Validate() []fault.Issue { return scopeIssues(r.OrganizationID, r.DocumentID) }

// Suggestion is what one side of the judgments advises, with its evidence.
type Suggestion struct {
	Recommendation  string   `json:"recommendation" enum:"approve,reject"`
	Confidence      float64  `json:"confidence" minimum:"0" maximum:"1"`
	BasedOn         int      `json:"basedOn" doc:"judgments used"`
	UniqueReviewers int      `json:"uniqueReviewers"`
	TopReasons      []string `json:"topReasons"`
	Scope           string   `json:"scope" enum:"document,organization,apiKey"`
	ScopeLabel      string   `json:"scopeLabel"`
	Caveats         []string `json:"caveats"`
}

// SuggestResult has the side that leads, and the other one where the evidence is split.
type SuggestResult struct {
	Primary  *Suggestion `json:"primary"`
	Conflict *Suggestion `json:"conflict"`
}

// scope is one in which judgments are looked for.
type scope struct {
	name  suggest.Scope
	about subject.Filter
}

// scopes are those of a request, from the narrowest outwards.
func (r *SuggestRequest) scopes() []scope {
	var all []scope
	if r.DocumentID != "" {
		all = append(all, scope{suggest.Document, subject.Filter{OrganizationID: r.OrganizationID, DocumentID: r.DocumentID}})
	}
	if r.OrganizationID != "" {
		all = append(all, scope{suggest.Organization, subject.Filter{OrganizationID: r.OrganizationID}})
	}
	return append(all, scope{name: suggest.Workspace})
}

// Suggest advises by the judgments that are nearest in meaning, of the narrowest scope
// that has enough of them. It stores nothing.
func (s *Suggestions) Suggest(ctx context.Context, req *SuggestRequest) (*SuggestResult, error) {
	var result *SuggestResult
	err := s.Questions.with(ctx, req.Query, func(q *question) (err error) {
		result, err = s.advise(ctx, req, q)
		return err
	}, embed.Matter)
	if result == nil {
		result = &SuggestResult{}
	}
	return result, err
}

// advise asks one scope after the other. One that runs out of time is passed over and
// named.
func (s *Suggestions) advise(ctx context.Context, req *SuggestRequest, q *question) (*SuggestResult, error) {
	t := q.thresholds
	c := suggest.Circumstances{Now: time.Now(), Thresholds: suggest.Thresholds{
		Unrelated: t.Unrelated, Spread: t.Spread, Strong: t.Strong, SameReason: t.Cosine(sameReason),
	}}
	scopes := req.scopes()
	for _, in := range scopes {
		found, err := s.within(ctx, in, q, &c)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			c.Unsearched = append(c.Unsearched, in.name)
			continue
		}
		if err != nil {
			return nil, err
		}
		advice := suggest.Decide(found, c)
		s.Margins.Observe(advice.Margin)
		if advice.Primary != nil {
			return &SuggestResult{viewSide(advice.Primary, in.name), viewSide(advice.Conflict, in.name)}, nil
		}
	}
	if len(c.Unsearched) == len(scopes) {
		return nil, withoutIndex(context.DeadlineExceeded)
	}
	return &SuggestResult{}, nil
}

// within finds the candidates of a scope, and what else the advice depends on there.
func (s *Suggestions) within(ctx context.Context, in scope, q *question, c *suggest.Circumstances) ([]suggest.Candidate, error) {
	own, cancel := context.WithTimeout(ctx, scopeLimit)
	defer cancel()
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	found := &judgments.Nearby{}
	group, shared := errgroup.WithContext(own)
	group.Go(func() error {
		nearby, err := near(shared, s.Store, s.Index, workspaceID, judgments.Near{
			Filter: judgments.Filter{OrganizationID: in.about.OrganizationID, DocumentID: in.about.DocumentID},
			Vector: q.matter, Model: q.model, Among: bothVectors, Limit: candidates, Vectors: true, Roughly: true,
			Decisions: []string{judgment.Approve, judgment.Reject},
		})
		if err == nil {
			found = nearby
		}
		return err
	})
	group.Go(func() (err error) {
		c.UpdatedSources, err = s.Updates.UpdatedSources(shared, workspaceID, in.about, freshFor)
		return err
	})
	err := group.Wait()
	if own.Err() != nil && ctx.Err() == nil {
		return nil, context.DeadlineExceeded
	}
	c.Among = int(found.Total)
	all := make([]suggest.Candidate, 0, len(found.Hits))
	for i := range found.Hits {
		if h := &found.Hits[i]; !h.Judged || h.ContentSimilarity != nil { // else far from it by what was judged
			all = append(all, candidate(h, q))
		}
	}
	return all, err
}

// bothVectors find what was decided in like words and what was decided about like things.
var bothVectors = []string{vector.Content, vector.Review}

// near finds judgments by meaning. Errors: UNAVAILABLE index-away, and errMoved.
func near(ctx context.Context, store nearbyStore, index judgments.VectorIndex, workspaceID string, q judgments.Near) (*judgments.Nearby, error) {
	nearby, err := store.Nearest(ctx, workspaceID, index, q)
	switch {
	case err != nil:
		return nil, withoutIndex(err)
	case nearby.Moved:
		return nil, errMoved
	default:
		return nearby, nil
	}
}

// candidate is a judgment as it votes. What a reviewer has one vote about is the
// document, else the thread, else the judgment itself.
func candidate(h *judgments.Hit, q *question) suggest.Candidate {
	c := suggest.Candidate{
		RecordID: h.RecordID, ReviewerID: h.UserID, Agent: h.JudgeType == byAgent, Approves: h.Decision == judgment.Approve,
		Likeness: likeness(h, q), Confidence: h.Confidence, CreatedAt: time.UnixMilli(h.CreatedAt), Reasoning: h.Reasoning, Review: h.ReviewVector, Content: h.ContentVector,
	}
	if c.Agent {
		c.ReviewerID = agentOf(h.Agent, c.ReviewerID)
	}
	organization := ""
	if h.Organization != nil {
		organization = strconv.FormatInt(*h.Organization, 10)
	}
	switch {
	case h.DocumentID != nil:
		c.Group = "document/" + organization + "/" + *h.DocumentID
	case h.AnnotationID != "" && h.Organization != nil:
		c.Group = "thread/" + organization + "/" + h.AnnotationID
	}
	return c
}

// likeness of a judgment to a question.
func likeness(h *judgments.Hit, q *question) float64 {
	review := embed.Cosine(q.matter, h.ReviewVector)
	if h.ContentSimilarity == nil {
		return q.thresholds.Likeness(review)
	}
	return q.thresholds.Likeness(suggest.Likeness(*h.ContentSimilarity, review))
}

// agentOf names the agent of a judgment: by its id, else by its name, else by who acted.
func agentOf(block json.RawMessage, userID string) string {
	var agent struct {
		AgentID   *string `json:"agentId"`
		AgentName *string `json:"agentName"`
	}
	_ = json.Unmarshal(block, &agent)
	for _, name := range []*string{agent.AgentID, agent.AgentName} {
		if name != nil && *name != "" {
			return *name
		}
	}
	return userID
}

func viewSide(side *suggest.Side, in suggest.Scope) *Suggestion {
	if side == nil {
		return nil
	}
	recommendation := judgment.Reject
	if side.Approves {
		recommendation = judgment.Approve
	}
	return &Suggestion{
		Recommendation: recommendation, Confidence: side.Confidence, BasedOn: side.BasedOn, UniqueReviewers: side.UniqueReviewers,
		TopReasons: side.TopReasons, Scope: string(in), ScopeLabel: in.Label(), Caveats: side.Caveats,
	}
}
