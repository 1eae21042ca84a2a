package memory

import (
	"context"
	"math"

	"github.com/redline-svc/redline/api/rpc"
	patterns "github.com/redline-svc/redline/models/pattern"
)

type patternStore interface {
	List(ctx context.Context, workspaceID string) ([]patterns.View, error)
}

// Patterns are the operations on what reviewers usually decide.
type Patterns struct{ store patternStore }

// NewPatterns makes the operations.
func NewPatterns(store patternStore) *Patterns { return &Patterns{store} }

// GetPatterns asks for the patterns of the workspace.
type GetPatterns struct{}

// PatternView is something that reviewers usually decide alike. Times are epoch
// milliseconds; figures of 0 to 1 have three decimals.
type PatternView struct {
	PatternID      string  `json:"patternId"`
	Scope          string  `json:"scope" enum:"apiKey,org" doc:"org for what one organization decides"`
	OrganizationID *string `json:"organizationId,omitempty" doc:"only with the scope org"`
	Decision       string  `json:"decision" enum:"approve,reject"`
	Description    string  `json:"description"`
	Category       string  `json:"category"`
	ContentType    *string `json:"contentType" doc:"null for all content"`

	Confidence      float64 `json:"confidence" minimum:"0" maximum:"1" doc:"lower Wilson bound of the agreeing votes"`
	EnforcementRate float64 `json:"enforcementRate" minimum:"0" maximum:"1" doc:"agreeing votes by all votes"`
	SourceCount     int     `json:"sourceCount" doc:"votes: one of each reviewer about a document"`
	UniqueReviewers int     `json:"uniqueReviewers"`

	TopSourceRecordIDs []string `json:"topSourceRecordIds" maxItems:"5"`
	DiscoveredAt       int64    `json:"discoveredAt"`
	UpdatedAt          int64    `json:"updatedAt"`
}

// PatternList has at most 100 patterns, the most recently updated first.
type PatternList []PatternView

// Get lists the most confident patterns.
func (p *Patterns) Get(ctx context.Context, _ *GetPatterns) (*PatternList, error) {
	found, err := p.store.List(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	list := PatternList(rpc.Each(found, viewPattern))
	return &list, nil
}

func viewPattern(p patterns.View) PatternView {
	scope := "apiKey"
	if p.OrganizationID != nil {
		scope = "org"
	}
	return PatternView{
		PatternID: p.ID, Scope: scope, OrganizationID: p.OrganizationID, Decision: p.Decision, Description: p.Description, Category: p.Category,
		ContentType: p.ContentType, Confidence: threeDecimals(p.Confidence), EnforcementRate: threeDecimals(float64(p.Agreeing) / float64(p.Votes)),
		SourceCount: p.Votes, UniqueReviewers: p.UniqueReviewers, TopSourceRecordIDs: p.Top,
		DiscoveredAt: p.DiscoveredAt.UnixMilli(), UpdatedAt: p.UpdatedAt.UnixMilli(),
	}
}

func threeDecimals(figure float64) float64 { return math.Round(1000*figure) / 1000 }

// ExamplePatterns is the documented result of patterns/get.
const ExamplePatterns = `[{"patternId":"pat_01kdvm9w00abcdefghjkmnpqrs","scope":"org","organizationId":"acme","decision":"reject",` +
	`"description":"Usually rejected (3 of 3): The claim has no source. Common terms: claim, source","category":"Sources","contentType":"article",` +
	`"confidence":0.438,"enforcementRate":1,"sourceCount":3,"uniqueReviewers":3,"topSourceRecordIds":["jdg_01kdvm9w00abcdefghjkmnpqrs"],` +
	`"discoveredAt":1767225600000,"updatedAt":1767225600000}]`
