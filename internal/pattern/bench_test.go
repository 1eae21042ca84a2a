package pattern_test

import (
	"testing"

	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/internal/pattern/patterntest"
)

// BenchmarkDetect is a run over as many judgments as one takes.
func BenchmarkDetect(b *testing.B) {
	members := patterntest.Judgments()
	stop := patterntest.Peak()
	var found []pattern.Pattern
	for b.Loop() {
		var err error
		if found, err = new(pattern.Detector).Detect(b.Context(), members, pattern.Scope{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(stop())/(1<<20), "peak-MiB")
	b.ReportMetric(float64(len(found)), "patterns")
}
