package pattern_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/modelstest"
)

// around gives a unit vector near a center, or anywhere without one.
func around(random *rand.Rand, center []float32) []float32 {
	const dimensions, noise = 384, 0.04
	vector, square := make([]float32, dimensions), 0.0
	for i := range vector {
		vector[i] = float32(random.NormFloat64())
		if center != nil {
			vector[i] = center[i] + noise*vector[i]
		}
		square += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(square))
	}
	return vector
}

// crowd is as many judgments as a run takes, about 60 topics, by 40 reviewers.
func crowd() []modelstest.Review {
	random := rand.New(rand.NewPCG(7, 17))
	var centers [60][2][]float32
	for i := range centers {
		centers[i] = [2][]float32{around(random, nil), around(random, nil)}
	}
	reviews := make([]modelstest.Review, pattern.MaxMembers)
	for i := range reviews {
		topic := i % len(centers)
		reviews[i] = modelstest.Review{
			ID: fmt.Sprintf("jdg_%06d", i), Reviewer: fmt.Sprintf("user-%d", random.IntN(40)), Decision: []string{"approve", "reject"}[topic%2],
			OrganizationID: "acme", DocumentID: fmt.Sprintf("doc-%d", random.IntN(1000)), Age: time.Duration(i) * time.Minute, Category: "Style",
			Reasoning: fmt.Sprintf("Clause%d of the draft says what topic%d asks for, as word%d does. See page %d of the annex.", topic, topic, random.IntN(5000), i),
			Review:    around(random, centers[topic][0]), Content: around(random, centers[topic][1]),
		}
	}
	return reviews
}

// heap is what Go holds for objects and their remains, in bytes.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// peak samples the heap until it is stopped, and gives the greatest.
func peak() (stop func() uint64) {
	var greatest atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			greatest.Store(max(greatest.Load(), heap()))
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(done)
		<-ended
		return greatest.Load()
	}
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
    INSERT INTO judgment_index (key, workspace_id, due) SELECT key, $1, NULL FROM made
)
INSERT INTO judgment_vectors (key, model, workspace_id, revision, review)
SELECT key, 'm1', $1, 1, convert_to(repeat('abcd', 384), 'UTF8') FROM made`, modelstest.Workspace, n)
}

// BenchmarkList lists the scopes of a workspace, without statistics of its tables.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
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
				d.exec(`UPDATE jobs SET state = 'completed', ended_at = now()`)
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
	d.review(crowd()...)
	d.beside(100_000)
	runtime.GC()
	before, stop, found := heap(), peak(), 0
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
		d.exec(`UPDATE jobs SET state = 'completed', ended_at = now()`)
		b.StartTimer()
	}
	b.ReportMetric(float64(stop()-before)/(1<<20), "peak-MiB")
	b.ReportMetric(float64(found), "patterns")
}
