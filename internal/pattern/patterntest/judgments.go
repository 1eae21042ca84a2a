package patterntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/redline-svc/redline/internal/pattern"
)

// around returns a unit vector near a center, or anywhere without one.
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

// Judgments are as many judgments as a run takes, around 60 centers, by 40 reviewers.
func Judgments() []pattern.Member {
	random := rand.New(rand.NewPCG(7, 17)) //nolint:gosec // the same ones each time
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

// Peak samples the heap until it is stopped, and returns by how many bytes it was greater
// than in the beginning.
func Peak() (stop func() uint64) {
	runtime.GC()
	before := heap()
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
		return greatest.Load() - before
	}
}
