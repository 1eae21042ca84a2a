package trial

import (
	"context"
	"fmt"
	"slices"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/pattern"
)

// Turn is a set measured with thresholds that were found on all others.
type Turn struct {
	Set     string     `json:"set"`
	Figures []Measured `json:"figures"`
	// Found are the thresholds, in words.
	Found string `json:"found"`
}

// turnNames are the figures of suggestions in a turn, and the bars of a plain set and of a
// hard one.
var turnNames = []string{"right kind", "null", "null on lures", "opposite", "conflict F1", "Brier", "right at 0.7"}

// bars of plain and hard sets in that order; those at most are below 0.
var plainBars, hardBars = []float64{0.90, 0.95, 0, -0.02, 0.80, -0.20, 0.90}, []float64{0.70, 0.90, 0.60, -0.05, 0.55, -0.20, 0.90}

// missing is how far figures are from the bars of the set, over all.
func (r reviewed) missing(figures []float64) (sum float64) {
	bars := plainBars
	if r.hard {
		bars = hardBars
	}
	for i, bar := range bars {
		if bar < 0 {
			sum += max(0, figures[i]+bar)
		} else {
			sum += max(0, bar-figures[i])
		}
	}
	return sum
}

// around are thresholds of suggestions in a grid around some. How much the cosines of what is
// unrelated differ is measured and not chosen, so the spread keeps that.
func around(of embed.Thresholds) (all []embed.Thresholds) {
	spread := of.Spread * (1 - of.Unrelated)
	for higher := -3.0; higher <= 3; higher++ {
		for stronger := -2.0; stronger <= 2; stronger++ {
			moved := of
			moved.Unrelated += higher * spread / 10
			moved.Spread = spread / (1 - moved.Unrelated)
			moved.Strong += 0.03 * stronger
			all = append(all, moved)
		}
	}
	return all
}

// Turns measures in turn each set with the thresholds around those given that are best on
// all others: first suggestions, then patterns.
func (t *Trial) Turns(ctx context.Context, with embed.Thresholds) ([]Turn, error) {
	settings := around(with)
	figures := make([][][]float64, len(settings))
	for i, setting := range settings {
		for _, set := range t.asked {
			figures[i] = append(figures[i], set.suggestions(setting).turn())
		}
	}
	var turns []Turn
	for held, set := range t.asked {
		best := slices.IndexFunc(figures, least(figures, func(of [][]float64) (sum float64) {
			most := 0.0
			for i, other := range t.asked {
				if i != held {
					missing := other.missing(of[i])
					sum, most = sum+missing, max(most, missing)
				}
			}
			return sum + most
		}))
		found := settings[best]
		turn := Turn{Set: set.name, Found: fmt.Sprintf("unrelated %.3f, spread %.3f, strong %.2f", found.Unrelated, found.Spread, found.Strong)}
		for i, name := range turnNames {
			turn.Figures = append(turn.Figures, Measured{name, figures[best][held][i]})
		}
		turns = append(turns, turn)
	}
	patterns, err := t.patternTurns(ctx, with)
	return append(turns, patterns...), err
}

// least reports whether one is the first of those with the least value.
func least[T any](all []T, value func(T) float64) func(T) bool {
	values := make([]float64, len(all))
	for i, one := range all {
		values[i] = value(one)
	}
	lowest := slices.Min(values)
	return func(one T) bool { return value(one) == lowest }
}

// falseWeight is how many missed practices a false pattern is worth: who is told of a practice
// that is none trusts no other.
const falseWeight = 5

// detectors are those around thresholds, the strictest first.
func detectors(of embed.Thresholds) (all []pattern.Detector) {
	for less := -3.0; less <= 3; less++ {
		for farther := -3.0; farther <= 3; farther++ {
			all = append(all, pattern.Detector{
				Threshold: of.Cluster + farther*(1-of.Unrelated)/50, StandsOut: pattern.DefaultStandsOut - less/10,
			})
		}
	}
	return all
}

// patternTurns are those of patterns.
func (t *Trial) patternTurns(ctx context.Context, with embed.Thresholds) (turns []Turn, err error) {
	sets, settings := t.plantedSets(), detectors(with)
	counts := make([][]detected, len(settings))
	for i := range settings {
		for _, set := range sets {
			d, err := set.detect(ctx, &settings[i])
			if err != nil {
				return nil, err
			}
			counts[i] = append(counts[i], d)
		}
	}
	for held := range sets {
		best := middle(counts, least(counts, func(of []detected) (sum float64) {
			for i, d := range of {
				if i != held {
					sum += max(0, 0.90-d.found.value(0)) + falseWeight*max(0, d.false.value(0)-0.10)
				}
			}
			return sum
		}))
		d, found := counts[best][held], &settings[best]
		turns = append(turns, Turn{
			Set: sets[held].name, Found: fmt.Sprintf("cluster %.3f, stands out %.1f", found.Threshold, found.StandsOut),
			Figures: []Measured{{"patterns found", d.found.value(0)}, {"false", d.false.value(0)}},
		})
	}
	return turns, nil
}

// middle is the one in the middle of those that are as wanted: what is at their edge is the
// likeliest to be wrong for another set.
func middle[T any](all []T, wanted func(T) bool) int {
	var as []int
	for i, one := range all {
		if wanted(one) {
			as = append(as, i)
		}
	}
	return as[len(as)/2]
}
