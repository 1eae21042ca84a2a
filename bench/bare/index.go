package bare

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/redline-svc/redline/bench/measure"
)

// Question is what is asked of the index: the nearest vectors of a tenant.
type Question struct {
	Collection, Tenant string
	// Vectors are what hits are near to, Hits is how many there must be.
	Vectors [][]float32
	Hits    int
	// Properties are what is wanted of each hit; those of a chunk without any.
	Properties []string
	// Among is the name of the vectors, where objects have several, and Where what hits
	// must fit; both by gRPC alone.
	Among string
	Where *pb.Filters
}

func (q Question) properties() []string {
	if q.Properties == nil {
		return []string{"item", "source", "version"}
	}
	return q.Properties
}

// near is the vector as gRPC takes it: bytes.
func (q Question) near(i int) *pb.NearVector {
	raw := make([]byte, 0, 4*len(q.Vectors[i]))
	for _, number := range q.Vectors[i] {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(number))
	}
	near := &pb.NearVector{VectorBytes: raw}
	if q.Among != "" {
		near.Targets = &pb.Targets{TargetVectors: []string{q.Among}}
	}
	return near
}

// Index asks the index itself what a search asks of it, by either of its
// interfaces.
type Index struct {
	question Question
	address  string
	conn     *grpc.ClientConn
	calls    pb.WeaviateClient
}

// NewIndex connects with the index at both of its addresses, host and port.
func NewIndex(address, grpcAddress string, question Question) (*Index, error) {
	conn, err := grpc.NewClient(grpcAddress, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	return &Index{question: question, address: address, conn: conn, calls: pb.NewWeaviateClient(conn)}, nil
}

// Close ends the connections.
func (x *Index) Close() { _ = x.conn.Close() }

// Call asks with vector i by gRPC.
func (x *Index) Call(ctx context.Context, i int) error {
	answer, err := x.calls.Search(ctx, &pb.SearchRequest{
		Collection: x.question.Collection, Tenant: x.question.Tenant, Limit: uint32(x.question.Hits), NearVector: x.question.near(i),
		Filters: x.question.Where, Properties: &pb.PropertiesRequest{NonRefProperties: x.question.properties()}, Metadata: &pb.MetadataRequest{Distance: true},
		Uses_127Api: true,
	})
	if err == nil && len(answer.GetResults()) != x.question.Hits {
		err = fmt.Errorf("the index found %d", len(answer.GetResults()))
	}
	return err
}

// Text asks with vector i by GraphQL, where a vector is text.
func (x *Index) Text(ctx context.Context, i int) error {
	vector, err := json.Marshal(x.question.Vectors[i])
	if err != nil {
		return err
	}
	query := fmt.Sprintf(`{Get{%s(tenant:%q,limit:%d,nearVector:{vector:%s}){item source version _additional{distance}}}}`,
		x.question.Collection, x.question.Tenant, x.question.Hits, vector)
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return err
	}
	answer, err := post(ctx, "http://"+x.address+"/v1/graphql", body)
	if err == nil && bytes.Count(answer, []byte("distance")) != x.question.Hits {
		err = fmt.Errorf("the index answered %.200s", answer)
	}
	return err
}

// AddObjects writes objects into the index at the address; an error unless it took
// all of them.
func AddObjects(ctx context.Context, address string, objects []map[string]any) error {
	body, err := json.Marshal(map[string]any{"objects": objects})
	if err != nil {
		return err
	}
	answer, err := post(ctx, "http://"+address+"/v1/batch/objects", body)
	if err == nil && strings.Count(string(answer), `"SUCCESS"`) != len(objects) {
		err = fmt.Errorf("the index answered %.200s", answer)
	}
	return err
}

func post(ctx context.Context, url string, body []byte) ([]byte, error) {
	return send(ctx, http.MethodPost, url, body)
}

func send(ctx context.Context, method, url string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := plainClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	return io.ReadAll(answer.Body)
}

var plainClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: measure.Callers}}
