package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
)

// Use says what a text is for; some models want another prefix for each, or are another one
// for each.
type Use string

// The uses of a text: a question and the passages among which it finds, and what is to be
// judged and the reviews, by which is meant what was judged and why, that are like it.
const (
	Query   Use = "query"
	Passage Use = "passage"
	Matter  Use = "matter"
	Review  Use = "review"
)

// asked reports whether somebody waits for the vector.
func (u Use) asked() bool { return u == Query || u == Matter }

// ProfileVersion counts changes in how this package makes a vector of a text:
// windows, pooling, prefixes. Vectors of two versions are not compared.
const ProfileVersion = 1

// Probe is the fixed sentence by whose vector two models are distinguished.
const Probe = "The reviewers approved the second draft after the figures were corrected."

// Identity names a model and its profile. Vectors of different identities have
// nothing to do with each other.
type Identity struct {
	Provider, Model string
	Dimensions      int
	Profile         int
}

// String is the identity as one word, for rows and logs.
func (i Identity) String() string {
	return fmt.Sprintf("%s/%s/%d/v%d", i.Provider, i.Model, i.Dimensions, i.Profile)
}

// ParseIdentity reads what String returns; the zero Identity stands for what it cannot be.
func ParseIdentity(text string) Identity {
	// A model's name may have slashes.
	parts := strings.Split(text, "/")
	if len(parts) < 4 {
		return Identity{}
	}
	last := len(parts) - 1
	i := Identity{Provider: parts[0], Model: strings.Join(parts[1:last-1], "/")}
	if n, err := fmt.Sscanf(parts[last-1]+"/"+parts[last], "%d/v%d", &i.Dimensions, &i.Profile); n != 2 || err != nil {
		return Identity{}
	}
	return i
}

// Embedder makes vectors. It is safe for use by many goroutines.
type Embedder interface {
	// Embed returns a unit vector for every text, in their order. Any error means
	// that there is no vector at all; it may pass when tried again.
	Embed(ctx context.Context, texts []string, use Use) ([][]float32, error)
	// Identity names the model.
	Identity() Identity
	// Limit is the longest input of the model in its own tokens, 0 when it is
	// not known. Length counts a text in them.
	Limit() int
	Length(text string) int
}

// ErrVector is a vector that cannot be one: of another length, of length zero
// or with a value that is not a number.
var ErrVector = errors.New("embed: the model gave a vector that is not one")

// pathSeparator joins the headings of a path.
const pathSeparator = " > "

// marks are the tokens that a model sets around its input. Every other token
// holds at least one byte, so that few bytes need not be counted in tokens.
const marks = 2

// Fit joins a heading path and a text as they are embedded. While the model
// finds that too long the path is shortened from its left.
func Fit(e Embedder, path, text string) string {
	limit := e.Limit()
	within := func(text string) bool {
		return limit == 0 || len(text)+marks <= limit || e.Length(text) <= limit
	}
	switch {
	case path == "":
		return text
	case within(path + "\n" + text):
		return path + "\n" + text
	case !within(text):
		return text
	}
	// A path may have hundreds of parts, and each look reads the whole text.
	parts := strings.Split(path, pathSeparator)
	first := sort.Search(len(parts), func(i int) bool { return within(strings.Join(parts[i:], pathSeparator) + "\n" + text) })
	if first == len(parts) {
		return text
	}
	return strings.Join(parts[first:], pathSeparator) + "\n" + text
}

// normalise makes v a unit vector in place.
func normalise(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return ErrVector
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return nil
}

// Cosine is the cosine of two unit vectors of one length.
func Cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// mean averages unit vectors and makes the result one again.
func mean(vectors [][]float32) ([]float32, error) {
	if len(vectors) == 1 {
		return vectors[0], nil
	}
	sum := make([]float32, len(vectors[0]))
	for _, v := range vectors {
		for i, x := range v {
			sum[i] += x
		}
	}
	return sum, normalise(sum)
}
