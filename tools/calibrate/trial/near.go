package trial

import (
	"cmp"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// now is when the sets are asked; their ages count back from it. Which day that is changes
// no figure.
var now = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func madeAt(j *labelled.Judgment) time.Time { return now.AddDate(0, 0, -j.AgeDays) }

// reviewOf is the text of a judgment's review vector.
func reviewOf(j *labelled.Judgment) string {
	return judgment.ReviewText(j.Decision, j.Reasoning, j.Content)
}

// similarity as the product counts it: the cosine, at least 0.
func similarity(a, b []float32) float64 { return min(1, max(0, embed.Cosine(a, b))) }

// nearest returns the most similar of some things, the most similar one first. What it is
// given is put in order.
func nearest[T any](of []T, similar func(T) float64, limit int) []T {
	slices.SortStableFunc(of, func(a, b T) int { return cmp.Compare(similar(b), similar(a)) })
	return of[:min(limit, len(of))]
}
