package vector

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"
	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"

	"github.com/redline-svc/redline/internal/fault"
)

// Query asks for the objects nearest to a vector.
type Query struct {
	Vector []float32
	Limit  int
	// Source keeps one source only, Sources those of which one must fit, Version the one
	// with that key; empty for the whole workspace.
	Source, Version string
	Sources         []string
	// Exclude are keys of versions that are left out.
	Exclude []string
	// Text is what Keywords looks for. Any takes objects with a single one of its words, too.
	Text string
	Any  bool
}

// Hit is an object that was found. Distance is that of the cosine, 0 to 2; Keyword is the
// score of Keywords, above 0.
type Hit struct {
	Item, Source, Version string
	Distance              float32
	Keyword               float64
}

// Nearest returns the nearest objects, the nearest first. A workspace that has
// nothing in the index is a fault: the caller knows whether it should have.
func (x *Index) Nearest(ctx context.Context, p Partition, q Query) ([]Hit, error) {
	results, err := x.nearest(ctx, p, &pb.SearchRequest{
		Filters: together(q.filters()), Limit: uint32(q.Limit), //nolint:gosec // a few thousand at most
		NearVector: &pb.NearVector{VectorBytes: Bytes(q.Vector)}, Properties: asked,
	})
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(results))
	for i, found := range results {
		hits[i] = named(found)
		// A rounding error may make the distance of equal vectors negative.
		hits[i].Distance = max(0, found.GetMetadata().GetDistance())
	}
	return hits, nil
}

// named is an object that was found, by its names.
func named(found *pb.SearchResult) Hit {
	fields := found.GetProperties().GetNonRefProps().GetFields()
	return Hit{Item: fields[propItem].GetTextValue(), Source: fields[propSource].GetTextValue(), Version: fields[propVersion].GetTextValue()}
}

// nearest asks for objects and their distances.
func (x *Index) nearest(ctx context.Context, p Partition, request *pb.SearchRequest) ([]*pb.SearchResult, error) {
	request.Metadata = distances
	return x.found(ctx, p, request)
}

// found asks for objects.
func (x *Index) found(ctx context.Context, p Partition, request *pb.SearchRequest) ([]*pb.SearchResult, error) {
	request.Collection, request.Tenant, request.Uses_127Api = p.collection(), p.Workspace, true
	var answer *pb.SearchReply
	err := x.whenBack(ctx, p, func() (err error) {
		answer, err = x.search(ctx, request)
		return err
	})
	if err != nil {
		return nil, x.unanswered(p, err)
	}
	return answer.GetResults(), nil
}

// largestAnswer is that of one search in bytes: 10,000 objects by their names have half of
// it.
const largestAnswer = 8 << 20

// search asks once more when the connection was gone: the index may be back.
func (x *Index) search(ctx context.Context, request *pb.SearchRequest) (*pb.SearchReply, error) {
	answer, err := x.calls.Search(ctx, request, grpc.MaxCallRecvMsgSize(largestAnswer))
	if status.Code(err) == codes.Unavailable && x.connectedAgain(ctx) {
		return x.calls.Search(ctx, request, grpc.MaxCallRecvMsgSize(largestAnswer))
	}
	return answer, err
}

// connectedAgain waits a moment for a connection that was gone.
func (x *Index) connectedAgain(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, againLimit)
	defer cancel()
	x.conn.ResetConnectBackoff()
	for state := x.conn.GetState(); state != connectivity.Ready; state = x.conn.GetState() {
		x.conn.Connect()
		if !x.conn.WaitForStateChange(ctx, state) {
			return false
		}
	}
	return true
}

// What a search asks of an object; requests only read them.
var (
	asked     = &pb.PropertiesRequest{NonRefProperties: []string{propItem, propSource, propVersion}}
	distances = &pb.MetadataRequest{Distance: true}
)

// Bytes is the form in which the index reads a vector, and rows keep it: little-endian
// float32.
func Bytes(v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, number := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(number))
	}
	return raw
}

// FromBytes reads what Bytes returns; nil for none.
func FromBytes(raw []byte) []float32 {
	if raw == nil {
		return nil
	}
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v
}

// unanswered is the fault of a search. Where the index answered that it could
// not, the place is looked at by Check.
func (x *Index) unanswered(p Partition, err error) error {
	switch said := status.Convert(err); {
	case slices.Contains(silences, said.Code()):
		return translate(err)
	case nothingThere(said.Message()):
		err = ErrNoTenant
	}
	x.suspect(p)
	return fault.Unavailable(err)
}

// silences are the codes of a call that the index has not answered.
var silences = []codes.Code{codes.Unavailable, codes.DeadlineExceeded, codes.Canceled}

// filters keeps what the query wants.
func (q Query) filters() []*pb.Filters {
	var all []*pb.Filters
	if q.Source != "" {
		all = append(all, compare(propSource, pb.Filters_OPERATOR_EQUAL, q.Source))
	}
	if len(q.Sources) > 0 {
		all = append(all, oneOf(propSource, q.Sources))
	}
	if q.Version != "" {
		all = append(all, compare(propVersion, pb.Filters_OPERATOR_EQUAL, q.Version))
	}
	for _, version := range q.Exclude {
		all = append(all, compare(propVersion, pb.Filters_OPERATOR_NOT_EQUAL, version))
	}
	return all
}

// together is a filter that wants all of them; nil for everything.
func together(all []*pb.Filters) *pb.Filters {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	default:
		return &pb.Filters{Operator: pb.Filters_OPERATOR_AND, Filters: all}
	}
}

func compare(name string, operator pb.Filters_Operator, value string) *pb.Filters {
	return &pb.Filters{Operator: operator, TestValue: &pb.Filters_ValueText{ValueText: value}, Target: property(name)}
}

func property(name string) *pb.FilterTarget {
	return &pb.FilterTarget{Target: &pb.FilterTarget_Property{Property: name}}
}

// Count returns how many objects a version has.
func (x *Index) Count(ctx context.Context, p Partition, version string) (count int, err error) {
	if err := x.prepared(ctx, p); err != nil {
		return 0, err
	}
	err = x.whenBack(ctx, p, func() error {
		count, err = x.count(ctx, p, version)
		return err
	})
	return count, err
}

func (x *Index) count(ctx context.Context, p Partition, version string) (int, error) {
	answer, err := x.client.GraphQL().Aggregate().WithClassName(p.collection()).WithTenant(p.Workspace).
		WithWhere(equal(propVersion, version)).
		WithFields(graphql.Field{Name: "meta", Fields: []graphql.Field{{Name: "count"}}}).Do(ctx)
	if err != nil {
		return 0, translate(err)
	}
	var found []struct {
		Meta struct{ Count int }
	}
	if err := read(answer, "Aggregate", p, &found); err != nil {
		if errors.Is(err, ErrNoTenant) {
			return 0, nil
		}
		return 0, err
	}
	if len(found) == 0 {
		return 0, nil
	}
	return found[0].Meta.Count, nil
}

// ErrNoTenant is that the index has nothing of the workspace: nothing was brought in yet,
// or it was lost.
var ErrNoTenant = errors.New("the workspace has nothing in the index")

// read takes the objects of a place out of an answer.
func read(answer *models.GraphQLResponse, kind string, p Partition, into any) error {
	if len(answer.Errors) > 0 {
		message := answer.Errors[0].Message
		if nothingThere(message) {
			return fault.Unavailable(ErrNoTenant)
		}
		return fault.Unavailable(errors.New("the index answered: " + message))
	}
	raw, err := json.Marshal(answer.Data[kind])
	if err != nil {
		return fault.Internal(err)
	}
	byCollection := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &byCollection); err != nil {
		return fault.Internal(err)
	}
	if err := json.Unmarshal(byCollection[p.collection()], into); err != nil {
		return fault.Internal(fmt.Errorf("read the index's answer: %w", err))
	}
	return nil
}
