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

	"github.com/redline-svc/redline/internal/pattern"
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

// crowd is as many judgments as a run takes, around 60 centers, by 40 reviewers.
func crowd() []pattern.Member {
	random := rand.New(rand.NewPCG(7, 17))
	var centers [60][2][]float32
	for i := range centers {
		centers[i] = [2][]float32{around(random, nil), around(random, nil)}
	}
	members := make([]pattern.Member, pattern.MaxMembers)
	for i := range members {
		topic := i % len(centers)
		members[i] = pattern.Member{
			RecordID: fmt.Sprintf("jdg_%06d", i), ReviewerID: fmt.Sprintf("user-%d", random.IntN(40)), DocumentID: fmt.Sprintf("doc-%d", random.IntN(1000)),
			Approves: topic%2 == 0, CreatedAt: time.UnixMilli(int64(i)),
			Reasoning: fmt.Sprintf("Clause%d of the draft says what topic%d asks for, as word%d does. See page %d of the annex.", topic, topic, random.IntN(5000), i),
			Review:    around(random, centers[topic][0]), Content: around(random, centers[topic][1]),
		}
	}
	return members
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

// BenchmarkDetect is a run over as many judgments as one takes.
func BenchmarkDetect(b *testing.B) {
	members := crowd()
	runtime.GC()
	before := heap()
	stop := peak()
	var found []pattern.Pattern
	for b.Loop() {
		var err error
		if found, err = new(pattern.Detector).Detect(b.Context(), members, pattern.Scope{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(stop()-before)/(1<<20), "peak-MiB")
	b.ReportMetric(float64(len(found)), "patterns")
}
