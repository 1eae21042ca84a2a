package embed

import (
	"context"
	"hash/fnv"
	"math"
	"strings"
	"unicode"
)

// lexicalDimensions is enough for few words of one text to fall together.
const lexicalDimensions = 384

// Lexical hashes words into a vector: texts are alike as far as they share
// words. It knows no meaning and is for tests and for machines without the
// runtime library.
type Lexical struct{}

// Identity names the hash.
func (Lexical) Identity() Identity {
	return Identity{Provider: "lexical", Model: "hashed-words", Dimensions: lexicalDimensions, Profile: ProfileVersion}
}

// Limit is 0: a text may be of any length.
func (Lexical) Limit() int { return 0 }

// Length counts the words.
func (Lexical) Length(text string) int { return len(words(text)) }

// Embed adds up the words of each text.
func (Lexical) Embed(_ context.Context, texts []string, _ Use) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = lexicalVector(text)
		if err := normalise(vectors[i]); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// lexicalVector weighs a word by the root of how often it comes. The first
// dimension is a small constant, so that a text without words has a vector.
func lexicalVector(text string) []float32 {
	counts := map[string]int{}
	for _, word := range words(text) {
		counts[word]++
	}
	v := make([]float32, lexicalDimensions)
	v[0] = 0.01
	for word, count := range counts {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(word)) // never fails
		sum := hash.Sum64()
		sign := float32(1)
		if sum>>63 == 1 {
			sign = -1
		}
		v[1+sum%(lexicalDimensions-1)] += sign * float32(math.Sqrt(float64(count)))
	}
	return v
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
