package judgment

import (
	"context"
)

// Stats are how many judgments a workspace has, and how many people they are of.
type Stats struct{ Judgments, Reviewers int64 }

var readStats = `
SELECT count(*), count(DISTINCT j.user_id) FILTER (WHERE j.judge_type = 'human')
FROM judgments j WHERE j.workspace_id = $1 AND ` + shownAmong

// Stats counts what is there. Of more than 100,000 judgments the figures may be 30 s old.
func (s *Judgments) Stats(ctx context.Context, workspaceID string) (Stats, error) {
	stats, remembered := s.stats.Get(workspaceID)
	if remembered {
		return stats, nil
	}
	err := s.db.CountMany(ctx, workspaceID, func() error {
		if stats, remembered = s.stats.Get(workspaceID); remembered { // by who had the turn before
			return nil
		}
		return s.db.Pool.QueryRow(ctx, readStats, workspaceID).Scan(&stats.Judgments, &stats.Reviewers)
	})
	if err != nil {
		return Stats{}, err
	}
	if stats.Judgments > largeTotal {
		s.stats.Add(workspaceID, stats)
	}
	return stats, nil
}
