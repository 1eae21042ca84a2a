package embed

import (
	_ "embed" // what reviews have in common is part of the program
	"encoding/binary"
	"slices"
	"sync"
)

// localReviews are float32 values, little-endian: the mean of the vectors of many reviews,
// then directions, unit vectors at right angles to each other, in which those differ most.
// `tools/calibrate --common` writes the file, from the tuning half of the labelled
// reviews.
//
//go:embed minilm/reviews.f32
var localReviews []byte

// common is what the vectors of all reviews have in common.
type common struct {
	mean       []float32
	directions [][]float32
}

// commons are those of the models that were measured, by name.
var commons = map[string]func() common{
	localModel: sync.OnceValue(func() common { return readCommon(localReviews, localDimensions) }),
}

func readCommon(file []byte, dimensions int) common {
	values := make([]float32, len(file)/4)
	_, _ = binary.Decode(file, binary.LittleEndian, values) // four bytes each
	rows := slices.Collect(slices.Chunk(values, dimensions))
	return common{mean: rows[0], directions: rows[1:]}
}

// WithoutCommon takes out of the vector of a review, or of a question about reviews, what
// says nothing about its matter: that it is the talk of reviewers at all, that it begins
// with a decision, that it is a reason or a thing under review. For that the mean of the
// vectors of many reviews is subtracted, then the share in the directions in which those
// differ most (Mu and Viswanath, All-but-the-Top, 2018), and the rest is a unit vector
// again. Similarities of judgments are between such vectors, so these are what the index
// of judgments holds; rows keep what the model gave. By a model that was not measured a
// vector stays as it is, and so does none.
func (i Identity) WithoutCommon(v []float32) []float32 {
	of, known := commons[i.Model]
	if !known || len(v) != i.Dimensions {
		return v
	}
	return of().without(v)
}

func (c common) without(v []float32) []float32 {
	rest := make([]float32, len(v))
	for n := range v {
		rest[n] = v[n] - c.mean[n]
	}
	for _, direction := range c.directions {
		share := float32(Cosine(rest, direction))
		for n := range rest {
			rest[n] -= share * direction[n]
		}
	}
	if normalise(rest) != nil {
		return v
	}
	return rest
}
