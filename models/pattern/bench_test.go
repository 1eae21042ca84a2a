package pattern_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/internal/pattern/patterntest"
	"github.com/redline-svc/redline/models/modelstest"
)

// manyReviews are the reviews behind patterntest.Judgments, of one organization.
func manyReviews() []modelstest.Review {
	members := patterntest.Judgments()
	reviews := make([]modelstest.Review, len(members))
	for i, m := range members {
		reviews[i] = modelstest.Review{
			ID: m.RecordID, Reviewer: m.ReviewerID, OrganizationID: "acme", DocumentID: m.DocumentID, Age: time.Duration(i) * time.Minute,
			Reasoning: m.Reasoning, Category: "Style", Review: m.Review, Content: m.Content,
		}
		if !m.Approves {
			rejecting(&reviews[i])
		}
	}
	return reviews
}

// beside adds as many judgments of another organization, of a hundred reviewers, older
// than the others.
func (d *desk) beside(n int) {
	d.t.Helper()
	d.exec(`
WITH made AS (
    INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
           user_id, user_name, organization_key, created_at)
    SELECT $1, 'beside' || n, 'step', 'beside' || n, 'approve', 'Fine.', '', 'design', 0.75, 'human', 'user-' || n % 100, '', o.organization_key,
           clock_timestamp() - interval '10 days' - n * interval '1 second'
    FROM open_subjects($1, 'bolt', NULL) o, generate_series(1, $2::int) n RETURNING key
), known AS (
    INSERT INTO judgment_index (key, workspace_id, indexed) SELECT key, $1, true FROM made
)
INSERT INTO judgment_vectors (key, model, workspace_id, revision, review)
SELECT key, 'm1', $1, 1, convert_to(repeat('abcd', 384), 'UTF8') FROM made`, modelstest.Workspace, n)
}

// BenchmarkList lists the scopes of a workspace, without statistics of its tables.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			d := newDesk(b)
			d.review(alike("a", 3)...)
			d.beside(n)
			for b.Loop() {
				b.StopTimer()
				j := d.opened()
				b.StartTimer()
				s := d.next(j)
				b.StopTimer()
				require.NotNil(b, s)
				d.exec(`UPDATE jobs SET ended_at = now()`)
				b.StartTimer()
			}
		})
	}
}

// BenchmarkScope looks through a scope with as many judgments as are taken: it reads
// them among 100,000, finds the patterns and stores them. The first round stores, the
// others change nothing. There are no statistics of the tables.
func BenchmarkScope(b *testing.B) {
	d := newDesk(b)
	d.review(manyReviews()...)
	d.beside(100_000)
	stop, found := patterntest.Peak(), 0
	for b.Loop() {
		b.StopTimer()
		j := d.opened()
		b.StartTimer()
		s := d.next(j)
		members, err := d.Members(b.Context(), s)
		require.NoError(b, err)
		require.Len(b, members, pattern.MaxMembers)
		patterns, err := new(pattern.Detector).Detect(b.Context(), members, pattern.Scope{})
		require.NoError(b, err)
		d.keep(s, patterns)
		found = len(patterns)
		b.StopTimer()
		d.exec(`UPDATE jobs SET ended_at = now()`)
		b.StartTimer()
	}
	b.ReportMetric(float64(stop())/(1<<20), "peak-MiB")
	b.ReportMetric(float64(found), "patterns")
}
