package vector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/redline-svc/redline/internal/fault"
)

// Query asks for the objects nearest to a vector.
type Query struct {
	Vector []float32
	Limit  int
	// Source keeps one source only, Version the one with that key; empty for the
	// whole workspace.
	Source, Version string
	// Exclude are keys of versions that are left out.
	Exclude []string
}

// Hit is an object that was found. Distance is that of the cosine, 0 to 2.
type Hit struct {
	Item, Source, Version string
	Distance              float32
}

// fields are what a search asks of an object.
var fields = []graphql.Field{
	{Name: propItem},
	{Name: propSource},
	{Name: propVersion},
	{Name: "_additional", Fields: []graphql.Field{{Name: "distance"}}},
}

// Nearest gives the nearest objects, the nearest first. A workspace that has
// nothing in the index is a fault: the caller knows whether it should have.
func (x *Index) Nearest(ctx context.Context, p Place, q Query) ([]Hit, error) {
	get := x.client.GraphQL().Get().WithClassName(p.collection()).WithTenant(p.Workspace).WithFields(fields...).WithLimit(q.Limit).
		WithNearVector(x.client.GraphQL().NearVectorArgBuilder().WithVector(q.Vector))
	if where := q.where(); where != nil {
		get = get.WithWhere(where)
	}
	answer, err := get.Do(ctx)
	if err != nil {
		return nil, translate(err)
	}
	var found []struct {
		Item       string `json:"item"`
		Source     string `json:"source"`
		Version    string `json:"version"`
		Additional struct {
			Distance float32 `json:"distance"`
		} `json:"_additional"`
	}
	if err := read(answer, "Get", p, &found); err != nil {
		x.suspect(p)
		return nil, err
	}
	hits := make([]Hit, len(found))
	for i, f := range found {
		// A rounding error may make the distance of equal vectors negative.
		hits[i] = Hit{Item: f.Item, Source: f.Source, Version: f.Version, Distance: max(0, f.Additional.Distance)}
	}
	return hits, nil
}

func (q Query) where() *filters.WhereBuilder {
	var all []*filters.WhereBuilder
	if q.Source != "" {
		all = append(all, equal(propSource, q.Source))
	}
	if q.Version != "" {
		all = append(all, equal(propVersion, q.Version))
	}
	for _, version := range q.Exclude {
		all = append(all, filters.Where().WithPath([]string{propVersion}).WithOperator(filters.NotEqual).WithValueText(version))
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	default:
		return filters.Where().WithOperator(filters.And).WithOperands(all)
	}
}

// Count gives how many objects a version has.
func (x *Index) Count(ctx context.Context, p Place, version string) (int, error) {
	if err := x.prepared(ctx, p.collection()); err != nil {
		return 0, err
	}
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
		if errors.Is(err, errNoTenant) {
			return 0, nil
		}
		return 0, err
	}
	if len(found) == 0 {
		return 0, nil
	}
	return found[0].Meta.Count, nil
}

// errNoTenant is a workspace without anything in the index.
var errNoTenant = errors.New("the workspace has nothing in the index")

// IsLost tells that a search failed because the index has nothing of the
// workspace.
func IsLost(err error) bool { return errors.Is(err, errNoTenant) }

// read takes the objects of a place out of an answer.
func read(answer *models.GraphQLResponse, kind string, p Place, into any) error {
	if len(answer.Errors) > 0 {
		message := answer.Errors[0].Message
		if nothingThere(message) {
			return fault.Away(errNoTenant)
		}
		return fault.Away(errors.New("the index answered: " + message))
	}
	raw, err := json.Marshal(answer.Data[kind])
	if err != nil {
		return fault.Unexpected(err)
	}
	byCollection := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &byCollection); err != nil {
		return fault.Unexpected(err)
	}
	if err := json.Unmarshal(byCollection[p.collection()], into); err != nil {
		return fault.Unexpected(fmt.Errorf("read the index's answer: %w", err))
	}
	return nil
}
