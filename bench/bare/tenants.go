package bare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
)

// Tenants writes small tenants straight into collections of the index, and asks them.
type Tenants struct {
	address     string
	conn        *grpc.ClientConn
	calls       pb.WeaviateClient
	collections []string
	vector      func(seed int) []byte
}

// NewTenants connects with the index at both of its addresses, host and port. vector
// makes little-endian float32 of a seed.
func NewTenants(address, grpcAddress string, vector func(seed int) []byte, collections ...string) (*Tenants, error) {
	conn, err := grpc.NewClient(grpcAddress, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	return &Tenants{address: address, conn: conn, calls: pb.NewWeaviateClient(conn), collections: collections, vector: vector}, nil
}

// Close ends the connection.
func (t *Tenants) Close() { _ = t.conn.Close() }

// Fill gives each of the tenants that many objects in each collection.
func (t *Tenants) Fill(ctx context.Context, tenants []string, objects int) error {
	for _, collection := range t.collections {
		request := &pb.BatchObjectsRequest{}
		for i, tenant := range tenants {
			for n := range objects {
				request.Objects = append(request.Objects, &pb.BatchObject{
					Collection: collection, Tenant: tenant, Uuid: uuid.NewString(), VectorBytes: t.vector(i*objects + n),
					Properties: &pb.BatchObject_Properties{NonRefProperties: &structpb.Struct{Fields: map[string]*structpb.Value{
						"item": structpb.NewStringValue(strconv.Itoa(n)), "source": structpb.NewStringValue("src"), "version": structpb.NewStringValue("src/1"),
					}}},
				})
			}
		}
		answer, err := t.calls.BatchObjects(ctx, request)
		if err != nil {
			return err
		}
		if refused := answer.GetErrors(); len(refused) > 0 {
			return fmt.Errorf("the index refused %d objects: %s", len(refused), refused[0].GetError())
		}
	}
	return nil
}

// Rest takes tenants out of the memory of the index.
func (t *Tenants) Rest(ctx context.Context, tenants []string) error {
	states := make([]map[string]string, len(tenants))
	for i, tenant := range tenants {
		states[i] = map[string]string{"name": tenant, "activityStatus": "COLD"}
	}
	body, err := json.Marshal(states)
	if err != nil {
		return err
	}
	for _, collection := range t.collections {
		if _, err := send(ctx, http.MethodPut, "http://"+t.address+"/v1/schema/"+collection+"/tenants", body); err != nil {
			return err
		}
	}
	return nil
}

// Search asks all collections for the objects of a tenant that are near to a vector;
// an error unless they give that many.
func (t *Tenants) Search(ctx context.Context, tenant string, objects int) error {
	for _, collection := range t.collections {
		answer, err := t.calls.Search(ctx, &pb.SearchRequest{
			Collection: collection, Tenant: tenant, Limit: uint32(objects + 1), NearVector: &pb.NearVector{VectorBytes: t.vector(0)},
			Metadata: &pb.MetadataRequest{Distance: true}, Uses_127Api: true,
		})
		if err == nil && len(answer.GetResults()) != objects {
			err = fmt.Errorf("the index found %d", len(answer.GetResults()))
		}
		if err != nil {
			return fmt.Errorf("%s of %s: %w", tenant, collection, err)
		}
	}
	return nil
}

// Holds reports whether the index at the address holds an object of a tenant whose property
// has that value.
func Holds(ctx context.Context, address, collection, tenant, property, value string) (bool, error) {
	query := fmt.Sprintf(`{Get{%s(tenant:%q,limit:1,where:{path:[%q],operator:Equal,valueText:%q}){_additional{id}}}}`, collection, tenant, property, value)
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return false, err
	}
	answer, err := post(ctx, "http://"+address+"/v1/graphql", body)
	if err != nil {
		return false, err
	}
	if bytes.Contains(answer, []byte(`"errors":`)) {
		return false, fmt.Errorf("the index answered %.200s", answer)
	}
	return bytes.Contains(answer, []byte(`"id":`)), nil
}
