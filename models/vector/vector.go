package vector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/weaviate/weaviate-go-client/v4/weaviate"
	client "github.com/weaviate/weaviate-go-client/v4/weaviate/fault"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/redline-svc/redline/internal/fault"
)

// Corpus is a kind of objects, each in a collection of its own.
type Corpus string

// The corpora.
const (
	Chunks Corpus = "RedlineChunks"
	Rules  Corpus = "RedlineRules"
)

// Corpora are all of them.
var Corpora = []Corpus{Chunks, Rules}

// Parameters of the index, chosen by measured recall on real text.
const (
	efSearch, efConstruction, connections = 256, 256, 32
	// exactUpTo is how many objects of a filter are scanned one by one.
	exactUpTo = 40000
)

const (
	// requestLimit bounds one request to the index.
	requestLimit = 60 * time.Second
	// keptConnections are as many as searches run side by side at a busy time: a
	// new connection for each would cost more than the search.
	keptConnections = 128
	idleLimit       = 90 * time.Second
)

// Names of an object's properties.
const (
	propItem    = "item"
	propSource  = "source"
	propVersion = "version"
)

// Object is a vector and what it stands for.
type Object struct {
	// Item names the row within its version: a chunk's ordinal, a rule's id.
	Item   string
	Source string
	// Version is the version's key, unique in its workspace.
	Version string
	Vector  []float32
}

// Index is a connection to Weaviate. It is safe for use by many goroutines.
type Index struct {
	client *weaviate.Client
	mu     sync.Mutex
	made   bool
}

// New makes a connection to Weaviate at host:port. It does not call it.
func New(address string) (*Index, error) {
	c, err := weaviate.NewClient(weaviate.Config{Host: address, Scheme: "http", ConnectionClient: &http.Client{ //nolint:forbidigo // the address is the operator's own
		Timeout:   requestLimit,
		Transport: &http.Transport{MaxIdleConnsPerHost: keptConnections, IdleConnTimeout: idleLimit}, //nolint:forbidigo // as above
	}})
	if err != nil {
		return nil, fmt.Errorf("make a client of the index: %w", err)
	}
	return &Index{client: c}, nil
}

// Check tells whether the index answers and is ready.
func (x *Index) Check(ctx context.Context) error {
	ready, err := x.client.Misc().ReadyChecker().Do(ctx)
	if err == nil && !ready {
		err = errors.New("the index is not ready")
	}
	return translate(err)
}

// Prepare makes the collections that are missing.
func (x *Index) Prepare(ctx context.Context) error {
	for _, corpus := range Corpora {
		there, err := x.client.Schema().ClassExistenceChecker().WithClassName(string(corpus)).Do(ctx)
		if err != nil {
			return translate(err)
		}
		if there {
			continue
		}
		if err := x.client.Schema().ClassCreator().WithClass(collection(corpus)).Do(ctx); err != nil && !saysExists(err) {
			return translate(err)
		}
	}
	return nil
}

// prepared makes the collections once for this connection; after a fault it
// looks again, since they may have gone with the index.
func (x *Index) prepared(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.made {
		return nil
	}
	if err := x.Prepare(ctx); err != nil {
		return err
	}
	x.made = true
	return nil
}

func (x *Index) forget() {
	x.mu.Lock()
	x.made = false
	x.mu.Unlock()
}

func collection(corpus Corpus) *models.Class {
	yes, no := true, false
	property := func(name string, filterable *bool) *models.Property {
		return &models.Property{
			Name: name, DataType: []string{"text"}, Tokenization: models.PropertyTokenizationField,
			IndexFilterable: filterable, IndexSearchable: &no,
		}
	}
	return &models.Class{
		Class: string(corpus), Vectorizer: "none", VectorIndexType: "hnsw",
		VectorIndexConfig: map[string]any{
			"distance": "cosine", "ef": efSearch, "efConstruction": efConstruction, "maxConnections": connections,
			"flatSearchCutoff": exactUpTo,
		},
		MultiTenancyConfig: &models.MultiTenancyConfig{Enabled: true, AutoTenantCreation: true, AutoTenantActivation: true},
		Properties:         []*models.Property{property(propItem, &no), property(propSource, &yes), property(propVersion, &yes)},
	}
}

// namespace of the ids of objects.
var namespace = uuid.MustParse("b9f1d1a0-52f4-5d0e-9a51-6a4b5b2f7c11")

// objectID follows from what an object stands for.
func objectID(workspaceID string, corpus Corpus, o Object) string {
	return uuid.NewSHA1(namespace, []byte(strings.Join([]string{workspaceID, string(corpus), o.Version, o.Item}, "\n"))).String()
}

// Upsert writes objects; those that are there already are overwritten. An error
// may leave some of them written.
func (x *Index) Upsert(ctx context.Context, workspaceID string, corpus Corpus, objects []Object) error {
	if len(objects) == 0 {
		return nil
	}
	if err := x.prepared(ctx); err != nil {
		return err
	}
	batch := x.client.Batch().ObjectsBatcher()
	for _, o := range objects {
		batch = batch.WithObjects(&models.Object{
			Class: string(corpus), Tenant: workspaceID, Vector: o.Vector,
			ID:         strfmtUUID(objectID(workspaceID, corpus, o)),
			Properties: map[string]any{propItem: o.Item, propSource: o.Source, propVersion: o.Version},
		})
	}
	answers, err := batch.Do(ctx)
	if err != nil {
		x.forget()
		return translate(err)
	}
	return refused(answers, len(objects))
}

// refused finds the objects of a batch that were not taken: the batch itself
// succeeds all the same.
func refused(answers []models.ObjectsGetResponse, sent int) error {
	taken := 0
	for _, a := range answers {
		if a.Result == nil || a.Result.Errors == nil && (a.Result.Status == nil || *a.Result.Status == models.ObjectsGetResponseAO2ResultStatusSUCCESS) {
			taken++
			continue
		}
		if a.Result.Errors != nil {
			for _, e := range a.Result.Errors.Error {
				return fault.Away(fmt.Errorf("the index refused an object: %s", e.Message))
			}
		}
	}
	if taken != sent {
		return fault.Away(fmt.Errorf("the index took %d of %d objects", taken, sent))
	}
	return nil
}

// DeleteVersion removes all objects of a version.
func (x *Index) DeleteVersion(ctx context.Context, workspaceID string, corpus Corpus, version string) error {
	if err := x.prepared(ctx); err != nil {
		return err
	}
	for {
		answer, err := x.client.Batch().ObjectsBatchDeleter().WithClassName(string(corpus)).WithTenant(workspaceID).
			WithWhere(equal(propVersion, version)).WithOutput("minimal").Do(ctx)
		switch {
		case err != nil && noTenant(err.Error()):
			return nil
		case err != nil:
			return translate(err)
		case answer.Results == nil || answer.Results.Matches == 0:
			return nil
		case answer.Results.Failed > 0:
			return fault.Away(fmt.Errorf("the index could not remove %d objects", answer.Results.Failed))
		case answer.Results.Matches < answer.Results.Limit:
			return nil
		}
	}
}

// DeleteWorkspace removes all that a workspace has in the index.
func (x *Index) DeleteWorkspace(ctx context.Context, workspaceID string) error {
	for _, corpus := range Corpora {
		err := x.client.Schema().TenantsDeleter().WithClassName(string(corpus)).WithTenants(workspaceID).Do(ctx)
		if err != nil && !noTenant(err.Error()) {
			return translate(err)
		}
	}
	return nil
}

func equal(property, value string) *filters.WhereBuilder {
	return filters.Where().WithPath([]string{property}).WithOperator(filters.Equal).WithValueText(value)
}

// noTenant tells that a workspace has nothing in the index.
func noTenant(message string) bool {
	return strings.Contains(message, "tenant not found") || strings.Contains(message, "could not find class")
}

func saysExists(err error) bool { return strings.Contains(err.Error(), "already exists") }

// translate makes every trouble with the index UNAVAILABLE; what the index
// refuses as faulty is a fault of ours.
func translate(err error) error {
	var refused *client.WeaviateClientError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.StatusCode == http.StatusUnprocessableEntity:
		return fault.Away(fmt.Errorf("the index refused: %s", refused.Msg))
	default:
		return fault.Away(err)
	}
}
