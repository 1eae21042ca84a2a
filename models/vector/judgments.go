package vector

import (
	"context"
	"slices"
	"strconv"

	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
)

// The vectors of a judgment: Review is that of what was decided and why, Content that of
// what was judged, which not every judgment has.
const (
	Review  = "review"
	Content = "content"
)

// Names of a judgment's properties.
const (
	propKey          = "key"
	propOrganization = "organization"
	propDocument     = "document"
	propDecision     = "decision"
	propActor        = "judgeType"
	propContentType  = "contentType"
	propReviewer     = "reviewer"
	propAnnotation   = "annotation"
	propCreatedAt    = "createdAt"
)

// none stands for an organization, a document or an annotation that a judgment does not
// have: the index compares what is there, so what is absent is a value as well.
const none = "-"

func judgmentProperties() []*models.Property {
	yes, no := true, false
	all := []*models.Property{text(propKey, false), {
		Name: propCreatedAt, DataType: []string{"int"}, IndexFilterable: &no, IndexRangeFilters: &yes,
	}}
	for _, name := range []string{propOrganization, propDocument, propDecision, propActor, propContentType, propReviewer, propAnnotation} {
		all = append(all, text(name, true))
	}
	return all
}

// Judgment is an object of the corpus Judgments. Key names its row; Organization and
// Document are keys of subjects, nil for none; CreatedAt is epoch milliseconds.
type Judgment struct {
	Key                                        int64
	Organization, Document                     *int64
	Decision, JudgeType, ContentType, Reviewer string
	Annotation                                 *string
	CreatedAt                                  int64
	// Review is never nil, Content is where nothing is known of what was judged.
	Review, Content []float32
}

// JudgmentID is the id of the object that stands for a judgment.
func (p Partition) JudgmentID(key int64) string { return p.ID(propKey, strconv.FormatInt(key, 10)) }

// InsertJudgments writes judgments as Insert writes objects.
func (x *Index) InsertJudgments(ctx context.Context, p Partition, judgments []Judgment) error {
	if len(judgments) == 0 {
		return nil
	}
	all := make([]entry, len(judgments))
	for i, j := range judgments {
		all[i] = entry{id: p.JudgmentID(j.Key), named: map[string][]float32{Review: j.Review}, properties: map[string]any{
			propKey: strconv.FormatInt(j.Key, 10), propOrganization: keyOrNone(j.Organization), propDocument: keyOrNone(j.Document),
			propDecision: j.Decision, propActor: j.JudgeType, propContentType: j.ContentType, propReviewer: j.Reviewer,
			propAnnotation: none, propCreatedAt: float64(j.CreatedAt),
		}}
		if j.Content != nil {
			all[i].named[Content] = j.Content
		}
		if j.Annotation != nil {
			all[i].properties[propAnnotation] = *j.Annotation
		}
	}
	return x.insert(ctx, p, all)
}

func keyOrNone(key *int64) string {
	if key == nil {
		return none
	}
	return strconv.FormatInt(*key, 10)
}

// JudgmentQuery asks for the judgments nearest to a vector. What is empty or nil does
// not narrow.
type JudgmentQuery struct {
	Vector []float32
	// Among is Review or Content; with Content, judgments without it are not found.
	Among string
	Limit int
	// Vectors has the vectors of a hit given too: that of what was decided and why, and
	// among contents that of what was judged.
	Vectors bool

	// Organizations and Documents are keys of subjects, of which one must fit.
	Organizations, Documents         []int64
	Decisions                        []string
	JudgeType, ContentType, Reviewer string
	Annotation                       string
	// ExcludeOrganizations and ExcludeDocuments are keys that are left out; judgments
	// without any stay.
	ExcludeOrganizations, ExcludeDocuments []int64
	// From and To are epoch milliseconds, both inclusive.
	From, To *int64
}

// JudgmentHit is a judgment that was found. Distance is that of the cosine, 0 to 2; the
// vectors are nil unless they were asked for.
type JudgmentHit struct {
	Key             int64
	Distance        float32
	Review, Content []float32
}

var askedKey = &pb.PropertiesRequest{NonRefProperties: []string{propKey}}

// NearestJudgments returns the nearest judgments, the nearest first. A workspace that has
// none in the index is a fault, as for Nearest.
func (x *Index) NearestJudgments(ctx context.Context, p Partition, q JudgmentQuery) ([]JudgmentHit, error) {
	results, err := x.found(ctx, p, q.request())
	if err != nil {
		return nil, err
	}
	hits := make([]JudgmentHit, len(results))
	for i, found := range results {
		key, err := strconv.ParseInt(found.GetProperties().GetNonRefProps().GetFields()[propKey].GetTextValue(), 10, 64)
		if err != nil {
			return nil, translate(err)
		}
		hits[i] = JudgmentHit{Key: key, Distance: max(0, found.GetMetadata().GetDistance())}
		for _, given := range found.GetMetadata().GetVectors() {
			if given.GetName() == Content {
				hits[i].Content = FromBytes(given.GetVectorBytes())
			} else {
				hits[i].Review = FromBytes(given.GetVectorBytes())
			}
		}
	}
	return hits, nil
}

func (q JudgmentQuery) request() *pb.SearchRequest {
	metadata := distances
	if q.Vectors {
		metadata = &pb.MetadataRequest{Distance: true, Vectors: slices.Compact([]string{Review, q.Among})}
	}
	return &pb.SearchRequest{
		Filters: together(q.filters()), Limit: uint32(q.Limit), //nolint:gosec // a few thousand at most
		NearVector: &pb.NearVector{VectorBytes: Bytes(q.Vector), Targets: &pb.Targets{TargetVectors: []string{q.Among}}},
		Properties: askedKey, Metadata: metadata,
	}
}

func (q JudgmentQuery) filters() []*pb.Filters {
	var all []*pb.Filters
	equal := func(property, value string) {
		if value != "" {
			all = append(all, compare(property, pb.Filters_OPERATOR_EQUAL, value))
		}
	}
	oneIn := func(property string, values []string) {
		if len(values) > 0 {
			all = append(all, oneOf(property, values))
		}
	}
	oneIn(propOrganization, texts(q.Organizations))
	oneIn(propDocument, texts(q.Documents))
	oneIn(propDecision, q.Decisions)
	equal(propActor, q.JudgeType)
	equal(propContentType, q.ContentType)
	equal(propReviewer, q.Reviewer)
	equal(propAnnotation, q.Annotation)
	for _, organization := range texts(q.ExcludeOrganizations) {
		all = append(all, compare(propOrganization, pb.Filters_OPERATOR_NOT_EQUAL, organization))
	}
	for _, document := range texts(q.ExcludeDocuments) {
		all = append(all, compare(propDocument, pb.Filters_OPERATOR_NOT_EQUAL, document))
	}
	return append(all, q.window()...)
}

func oneOf(name string, values []string) *pb.Filters {
	return &pb.Filters{
		Operator: pb.Filters_OPERATOR_CONTAINS_ANY, Target: property(name),
		TestValue: &pb.Filters_ValueTextArray{ValueTextArray: &pb.TextArray{Values: values}},
	}
}

func texts(keys []int64) []string {
	values := make([]string, len(keys))
	for i, key := range keys {
		values[i] = strconv.FormatInt(key, 10)
	}
	return values
}

func (q JudgmentQuery) window() []*pb.Filters {
	var all []*pb.Filters
	add := func(operator pb.Filters_Operator, at *int64) {
		if at != nil {
			all = append(all, &pb.Filters{Operator: operator, Target: property(propCreatedAt), TestValue: &pb.Filters_ValueInt{ValueInt: *at}})
		}
	}
	add(pb.Filters_OPERATOR_GREATER_THAN_EQUAL, q.From)
	add(pb.Filters_OPERATOR_LESS_THAN_EQUAL, q.To)
	return all
}
