package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// bareIndex asks the index itself what a search asks of it, by either of its
// interfaces.
type bareIndex struct {
	library *library
	conn    *grpc.ClientConn
	calls   pb.WeaviateClient
}

func newBareIndex(l *library) (*bareIndex, error) {
	conn, err := grpc.NewClient(l.rig.stack.Env["REDLINE_WEAVIATE_GRPC_ADDR"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	return &bareIndex{library: l, conn: conn, calls: pb.NewWeaviateClient(conn)}, nil
}

func (x *bareIndex) close() { _ = x.conn.Close() }

// call asks by gRPC, where a vector is bytes.
func (x *bareIndex) call(ctx context.Context, i int) error {
	raw := make([]byte, 0, 4*len(x.library.questions[i]))
	for _, number := range x.library.questions[i] {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(number))
	}
	answer, err := x.calls.Search(ctx, &pb.SearchRequest{
		Collection: x.library.collection, Tenant: x.library.rig.workspace.ID, Limit: knowledgeHits, NearVector: &pb.NearVector{VectorBytes: raw},
		Properties: &pb.PropertiesRequest{NonRefProperties: []string{"item", "source", "version"}}, Metadata: &pb.MetadataRequest{Distance: true},
		Uses_127Api: true,
	})
	if err == nil && len(answer.GetResults()) != knowledgeHits {
		err = fmt.Errorf("the index found %d", len(answer.GetResults()))
	}
	return err
}

// text asks by GraphQL, where a vector is text.
func (x *bareIndex) text(ctx context.Context, i int) error {
	vector, err := json.Marshal(x.library.questions[i])
	if err != nil {
		return err
	}
	query := fmt.Sprintf(`{Get{%s(tenant:%q,limit:%d,nearVector:{vector:%s}){item source version _additional{distance}}}}`,
		x.library.collection, x.library.rig.workspace.ID, knowledgeHits, vector)
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return err
	}
	answer, err := post(ctx, "http://"+x.library.rig.stack.Env["REDLINE_WEAVIATE_ADDR"]+"/v1/graphql", body)
	if err == nil && bytes.Count(answer, []byte("distance")) != knowledgeHits {
		err = fmt.Errorf("the index answered %.200s", answer)
	}
	return err
}

func post(ctx context.Context, url string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
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

var plainClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
