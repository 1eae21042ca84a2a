package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/search"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// defaultHits is a search's limit where the caller names none.
	defaultHits = 10
	// Sources that one search may name as a list.
	minSources, maxSources = 2, 30
)

// SourceIDs is one id, or a list of 2 to 30.
type SourceIDs struct {
	ids  []string
	list bool
}

// UnmarshalJSON takes a string or a list of strings.
func (s *SourceIDs) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '[' {
		s.list = true
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return errors.New("must be a string or a list of strings")
		}
		for _, item := range items {
			var id string
			if bytes.Equal(item, []byte("null")) || json.Unmarshal(item, &id) != nil {
				return errors.New("must be a string or a list of strings")
			}
			s.ids = append(s.ids, id)
		}
		return nil
	}
	var id string
	if err := json.Unmarshal(raw, &id); err != nil {
		return errors.New("must be a string or a list of strings")
	}
	s.ids = []string{id}
	return nil
}

// Schema documents both forms.
func (SourceIDs) Schema(huma.Registry) *huma.Schema {
	one, least, most := 1, minSources, maxSources
	id := &huma.Schema{Type: huma.TypeString, MinLength: &one}
	return &huma.Schema{OneOf: []*huma.Schema{id, {Type: huma.TypeArray, Items: id, MinItems: &least, MaxItems: &most}}}
}

// KnowledgeSearchRequest asks for what is nearest in meaning to a question.
type KnowledgeSearchRequest struct {
	Query        string    `json:"query" minLength:"1" maxLength:"8000" notBlank:"true"`
	SourceID     SourceIDs `json:"sourceId,omitempty" doc:"one source, or 2 to 30"`
	Limit        int       `json:"limit,omitempty" minimum:"1" maximum:"50" doc:"default 10"`
	IncludeRules bool      `json:"includeRules,omitempty" notNull:"true" doc:"rules besides chunks"`
	Hybrid       bool      `json:"hybrid,omitempty" doc:"find by words as well as by meaning"`
	Highlights   bool      `json:"highlights,omitempty" doc:"say what to look at in each text"`
}

// Validate counts the sources.
func (r *KnowledgeSearchRequest) Validate() []fault.Issue {
	path := []string{"sourceId"}
	switch {
	case slices.ContainsFunc(r.SourceID.ids, func(id string) bool { return strings.TrimSpace(id) == "" }):
		return []fault.Issue{{Code: shape.Length, Path: path, Message: "must not have an empty id"}}
	case r.SourceID.list && (len(r.SourceID.ids) < minSources || len(r.SourceID.ids) > maxSources):
		return []fault.Issue{{Code: shape.Count, Path: path, Message: "must be one id or a list of 2 to 30"}}
	default:
		return nil
	}
}

// KnowledgeHit is one item. Kind, ruleId and category are there only with
// includeRules, fusedScore only with hybrid, highlights where they are asked for; score,
// the cosine distance, only where the question has a vector and the index answered.
type KnowledgeHit struct {
	Kind     string   `json:"kind,omitempty" enum:"chunk,rule"`
	RuleID   string   `json:"ruleId,omitempty"`
	SourceID string   `json:"sourceId"`
	Text     string   `json:"text"`
	Score    *float32 `json:"score,omitempty"`
	Category *string  `json:"category,omitempty"`

	FusedScore *float64     `json:"fusedScore,omitempty" doc:"of the ranks by meaning and by words together"`
	Highlights *[]Highlight `json:"highlights,omitempty" doc:"up to 5, in their order, none over another"`
}

// KnowledgeResults are the items, the nearest first.
type KnowledgeResults struct {
	Results         []KnowledgeHit `json:"results"`
	RecordsSearched int            `json:"recordsSearched" doc:"the length of results"`
}

// Search finds chunks, and rules where asked, by meaning. Without embedder or
// index, or while the index holds vectors of another model, it returns the newest
// items.
func (k *Knowledge) Search(ctx context.Context, req *KnowledgeSearchRequest) (*KnowledgeResults, error) {
	found, err := k.find(ctx, req, false)
	if err == nil && found.Moved {
		found, err = k.find(ctx, req, true) // the index was switched a moment ago
	}
	if err != nil {
		return nil, err
	}
	if how := degraded(found); how != "" {
		rpc.SetHeader(ctx, "X-Svc-Degraded", how)
	}
	results := &KnowledgeResults{Results: make([]KnowledgeHit, len(found.Items)), RecordsSearched: len(found.Items)}
	for i, item := range found.Items {
		results.Results[i] = hit(item, req.IncludeRules)
		if req.Highlights {
			results.Results[i].Highlights = highlights(req.Query, item.Text)
		}
	}
	return results, nil
}

// find asks once; fresh looks which generation of the index serves now.
func (k *Knowledge) find(ctx context.Context, req *KnowledgeSearchRequest, fresh bool) (*search.Found, error) {
	ids := slices.Clone(req.SourceID.ids)
	slices.Sort(ids)
	q := search.Query{Sources: slices.Compact(ids), Limit: cmp.Or(req.Limit, defaultHits), Rules: req.IncludeRules}
	serving, err := k.Store.Serving(ctx, fresh)
	if err != nil {
		return nil, err
	}
	if serving != nil {
		q.Model = serving.Model
		asked, err := (Questions{k.Store, k.Models}).embedded(ctx, serving, req.Query, []embed.Use{embed.Query})
		switch {
		case err == nil:
			q.Vector = asked.knowledge // without one the newest items are given
		case errors.Is(err, embed.ErrModelChanged) && !fresh:
			return k.find(ctx, req, true)
		}
	}
	if req.Hybrid {
		return k.Found.Hybrid(ctx, rpc.CallerFrom(ctx).WorkspaceID, k.Index, q, req.Query)
	}
	return k.Found.Search(ctx, rpc.CallerFrom(ctx).WorkspaceID, k.Index, q)
}

func hit(item search.Item, kinds bool) KnowledgeHit {
	h := KnowledgeHit{SourceID: item.SourceID, Text: item.Text, Score: item.Score, FusedScore: item.Fused}
	if !kinds {
		return h
	}
	h.Kind = "chunk"
	if item.Corpus == vector.Rules {
		h.Kind, h.RuleID, h.Category = "rule", item.RuleID, item.Category
	}
	return h
}
