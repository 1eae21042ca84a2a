package memory

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	judgments "github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
)

type judgmentCounter interface {
	Stats(ctx context.Context, workspaceID string) (judgments.Stats, error)
}

type knowledgeCounter interface {
	Totals(ctx context.Context, workspaceID string) (knowledge.Totals, error)
}

type patternCounter interface {
	Count(ctx context.Context, workspaceID string) (int64, error)
}

// Stats is the operation that counts what a workspace remembers.
type Stats struct {
	judgments judgmentCounter
	knowledge knowledgeCounter
	patterns  patternCounter
}

// NewStats makes the operation.
func NewStats(judgments judgmentCounter, knowledge knowledgeCounter, patterns patternCounter) *Stats {
	return &Stats{judgments, knowledge, patterns}
}

// GetStats is the request of stats/get; it has no fields.
type GetStats struct{}

// StatsView counts judgments, the people whose they are, patterns, sources of any
// status, and the chunks and rules of their live versions.
type StatsView struct {
	Activities int64 `json:"totalActivities"`
	Profiles   int64 `json:"totalProfiles"`
	Patterns   int64 `json:"totalPatterns"`
	Sources    int64 `json:"totalKnowledgeSources"`
	Chunks     int64 `json:"totalChunks"`
	Rules      int64 `json:"totalRules"`
}

// Get counts.
func (s *Stats) Get(ctx context.Context, _ *GetStats) (*StatsView, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	of, err := s.judgments.Stats(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	known, err := s.knowledge.Totals(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	patterns, err := s.patterns.Count(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	return &StatsView{
		Activities: of.Judgments, Profiles: of.Reviewers, Patterns: patterns,
		Sources: known.Sources, Chunks: known.Chunks, Rules: known.Rules,
	}, nil
}
