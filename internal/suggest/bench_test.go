package suggest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/redline-svc/redline/internal/suggest"
)

// BenchmarkDecide decides over all that two searches of 100 can find, each candidate
// with a reason of its own: the most comparisons that there can be.
func BenchmarkDecide(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	candidates := votes(200, "a", true)
	for i := range candidates {
		candidates[i].Approves = i%3 > 0
		candidates[i].Reasoning = fmt.Sprintf("Clause %d has no cap on liability, and the notice period is shorter than ours. Please add one.", i)
		candidates[i].Review = unit(random, 384)
	}
	for b.Loop() {
		suggest.Decide(candidates, at())
	}
}

func unit(random *rand.Rand, dimensions int) []float32 {
	v := blas32.Vector{N: dimensions, Inc: 1, Data: make([]float32, dimensions)}
	for i := range v.Data {
		v.Data[i] = float32(random.NormFloat64())
	}
	blas32.Scal(1/blas32.Nrm2(v), v)
	return v.Data
}
