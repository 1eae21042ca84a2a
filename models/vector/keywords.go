package vector

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/redline-svc/redline/internal/term"
)

// propWords holds the words of an object's text.
const propWords = "words"

// Parameters of BM25: how soon a word that repeats counts no more, and how much the
// length of a text counts. They are those that are usual.
const (
	repetition    = 1.2
	lengthMatters = 0.75
)

// scoreSteps is how finely scores by words are compared. The index adds the parts of a
// score in an order that differs from object to object, so equal texts may get scores
// that differ in the last digits.
const scoreSteps = 1e4

// words is a property that is searched word by word. The words are stems already, which
// the index does not make.
func words() *models.Property {
	yes, no := true, false
	return &models.Property{
		Name: propWords, DataType: []string{"text"}, Tokenization: models.PropertyTokenizationWhitespace,
		IndexFilterable: &no, IndexSearchable: &yes,
	}
}

// ranking is how words are weighed.
func ranking() *models.InvertedIndexConfig {
	return &models.InvertedIndexConfig{
		Bm25:      &models.BM25Config{K1: repetition, B: lengthMatters},
		Stopwords: &models.StopwordConfig{Preset: "none"}, // they are left out before
	}
}

// Words is what an object holds of a text for searches by words.
func Words(text string) string { return strings.Join(term.Keywords(text), " ") }

// Keywords returns the objects that share the most telling words with the query's text, by
// BM25, the best first, if they have enough of its words (term.Least). It returns no distances: vectors are most of an answer, and few of
// them are looked at. A text without a word that says anything finds nothing. Faults are
// those of Nearest.
func (x *Index) Keywords(ctx context.Context, p Partition, q Query) ([]Hit, error) {
	wanted := term.Asked(q.Text)
	if len(wanted) == 0 {
		return nil, nil
	}
	slices.Sort(wanted)
	said := &pb.BM25{Query: strings.Join(slices.Compact(wanted), " "), Properties: []string{propWords}}
	if !q.Any {
		said.ProtoReflect().SetUnknown(leastShared(term.Least(q.Text)))
	}
	results, err := x.found(ctx, p, &pb.SearchRequest{
		Filters: together(q.filters()), Limit: uint32(q.Limit), //nolint:gosec // a few thousand at most
		Bm25Search: said,
		Properties: asked, Metadata: &pb.MetadataRequest{Score: true},
	})
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(results))
	for i, found := range results {
		hits[i] = named(found)
		hits[i].Keyword = max(1, math.Round(float64(found.GetMetadata().GetScore())*scoreSteps)) / scoreSteps
	}
	return hits, nil
}

// Numbers of fields in the index's protocol: the operator of BM25, which is 1 for "any of the
// words", and how many of them an object must have.
const (
	fieldSearchOperator        = 3
	fieldOperator              = 1
	fieldLeast                 = 2
	operatorAny         uint64 = 1
)

// leastShared is that an object must have so many of the words. The index knows this field;
// the module with its messages, which is older, does not.
func leastShared(words int) []byte {
	operator := protowire.AppendTag(nil, fieldOperator, protowire.VarintType)
	operator = protowire.AppendVarint(operator, operatorAny)
	operator = protowire.AppendTag(operator, fieldLeast, protowire.VarintType)
	operator = protowire.AppendVarint(operator, uint64(words)) //nolint:gosec // a positive number
	return protowire.AppendBytes(protowire.AppendTag(nil, fieldSearchOperator, protowire.BytesType), operator)
}

// Distance is that of the cosine of two unit vectors, as the index reckons it; a vector of
// another length is as far as one that has nothing in common.
func Distance(a, b []float32) float32 {
	if len(a) != len(b) {
		return 1
	}
	var same float64
	for i := range a {
		same += float64(a[i]) * float64(b[i])
	}
	return float32(min(2, max(0, 1-same)))
}
