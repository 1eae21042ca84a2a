package vector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/weaviate/weaviate-go-client/v4/weaviate"
	client "github.com/weaviate/weaviate-go-client/v4/weaviate/fault"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/redline-svc/redline/internal/fault"
)

// Corpus is a kind of objects, each in a collection of its own.
type Corpus string

// The corpora.
const (
	Chunks    Corpus = "RedlineChunks"
	Rules     Corpus = "RedlineRules"
	Judgments Corpus = "RedlineJudgments"
)

// Corpora are those of knowledge: each version of a source has objects in them.
var Corpora = []Corpus{Chunks, Rules}

// collections are the corpora of a generation.
var collections = []Corpus{Chunks, Rules, Judgments}

// Partition is where objects lie: in the collection of a corpus and a generation,
// there in the tenant of a workspace.
type Partition struct {
	// Suffix is that of the generation's collections.
	Suffix    string
	Workspace string
	Corpus    Corpus
}

func (p Partition) collection() string { return string(p.Corpus) + p.Suffix }

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
	// connectLimit is how long one try to connect to that port may take.
	connectLimit = 2 * time.Second
	// againLimit is how long a search waits for a connection that was gone.
	againLimit = 300 * time.Millisecond
)

var (
	// again is when that connection is tried again: soon, since until
	// then they are answered without the index.
	again = backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 250 * time.Millisecond}
	// silence ends a connection whose other side no longer takes what is sent. The
	// index allows a sign of life every five minutes.
	silence = keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: 10 * time.Second}
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
	// Text is what Keywords finds it by.
	Text   string
	Vector []float32
}

// Index is a connection to Weaviate. It is safe for use by many goroutines.
type Index struct {
	client *weaviate.Client
	// conn is the connection to the port where a vector is bytes and not text to be
	// written and parsed; calls and health speak over it.
	conn   *grpc.ClientConn
	calls  pb.WeaviateClient
	health grpc_health_v1.HealthClient

	// mu is never held over a call.
	mu sync.Mutex
	// made are collections that are there, suspects are places that should be
	// and could not be searched.
	made     map[string]bool
	suspects map[Partition]bool
}

// New makes a connection to Weaviate at host:port, and to the other host:port of
// it that takes and returns vectors. It does not call it. Options say how it is reached
// where that is not in the clear and without a key.
func New(address, vectors string, options ...Option) (*Index, error) {
	to := access{scheme: "http", header: map[string]string{}, secrecy: insecure.NewCredentials()}
	for _, option := range options {
		option(&to)
	}
	c, err := weaviate.NewClient(weaviate.Config{Host: address, Scheme: to.scheme, Headers: to.header, ConnectionClient: &http.Client{ //nolint:forbidigo // the address is the operator's own
		Timeout:   requestLimit,
		Transport: &http.Transport{MaxIdleConnsPerHost: keptConnections, IdleConnTimeout: idleLimit, TLSClientConfig: to.trust}, //nolint:forbidigo // as above
	}})
	if err != nil {
		return nil, fmt.Errorf("make a client of the index: %w", err)
	}
	conn, err := grpc.NewClient(vectors, grpc.WithTransportCredentials(to.secrecy), grpc.WithPerRPCCredentials(to), grpc.WithNoProxy(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: again, MinConnectTimeout: connectLimit}), grpc.WithKeepaliveParams(silence))
	if err != nil {
		return nil, fmt.Errorf("make a client of the index's vectors: %w", err)
	}
	return &Index{
		client: c, conn: conn, calls: pb.NewWeaviateClient(conn), health: grpc_health_v1.NewHealthClient(conn),
		made: map[string]bool{}, suspects: map[Partition]bool{},
	}, nil
}

// prepared makes a collection once for this connection; after a fault it looks
// again, since it may have gone with the index. Nobody waits for the call of
// somebody else: several at once may look, and all but one find it made.
func (x *Index) prepared(ctx context.Context, p Partition) error {
	name := p.collection()
	if x.knows(name) {
		return nil
	}
	there, err := x.client.Schema().ClassExistenceChecker().WithClassName(name).Do(ctx)
	if err != nil {
		return translate(err)
	}
	if !there {
		if err := x.client.Schema().ClassCreator().WithClass(p.class()).Do(ctx); err != nil && !saysExists(err) {
			return translate(err)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.made[name] = true
	return nil
}

func (x *Index) knows(name string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.made[name]
}

func (x *Index) forget(name string) {
	x.mu.Lock()
	delete(x.made, name)
	x.mu.Unlock()
}

// class describes the collection.
func (p Partition) class() *models.Class {
	c := &models.Class{
		Class:              p.collection(),
		MultiTenancyConfig: &models.MultiTenancyConfig{Enabled: true, AutoTenantCreation: true, AutoTenantActivation: true},
	}
	if p.Corpus == Judgments {
		c.Properties, c.VectorConfig = judgmentProperties(), map[string]models.VectorConfig{}
		for _, name := range []string{Review, Content} {
			c.VectorConfig[name] = models.VectorConfig{
				VectorIndexType: "hnsw", VectorIndexConfig: graph(), Vectorizer: map[string]any{"none": map[string]any{}},
			}
		}
		return c
	}
	c.Vectorizer, c.VectorIndexType, c.VectorIndexConfig = "none", "hnsw", graph()
	c.Properties = []*models.Property{text(propItem, false), text(propSource, true), text(propVersion, true), words()}
	c.InvertedIndexConfig = ranking()
	return c
}

func graph() map[string]any {
	return map[string]any{
		"distance": "cosine", "ef": efSearch, "efConstruction": efConstruction, "maxConnections": connections, "flatSearchCutoff": exactUpTo,
	}
}

// text is a property that is compared as a whole.
func text(name string, filterable bool) *models.Property {
	no := false
	return &models.Property{
		Name: name, DataType: []string{"text"}, Tokenization: models.PropertyTokenizationField,
		IndexFilterable: &filterable, IndexSearchable: &no,
	}
}

// namespace of the ids of objects.
var namespace = uuid.MustParse("b9f1d1a0-52f4-5d0e-9a51-6a4b5b2f7c11")

// ID is the id of the object that stands for an item of a version.
func (p Partition) ID(version, item string) string {
	return uuid.NewSHA1(namespace, []byte(strings.Join([]string{p.Workspace, string(p.Corpus), version, item}, "\n"))).String()
}

// Insert writes objects of which the index has none: of one that it has already
// it leaves the vector alone, even where a crash has lost that. An error may
// leave some of them written.
//
// A batch is acknowledged before its vectors are in the log of the graph, where
// they would be lost with the process. Writing one object by itself brings them
// there, so the last one comes after all others.
func (x *Index) Insert(ctx context.Context, p Partition, objects []Object) error {
	if len(objects) == 0 {
		return nil
	}
	all := make([]entry, len(objects))
	for i, o := range objects {
		all[i] = entry{
			id: p.ID(o.Version, o.Item), vector: o.Vector,
			properties: map[string]any{propItem: o.Item, propSource: o.Source, propVersion: o.Version, propWords: Words(o.Text)},
		}
	}
	return x.insert(ctx, p, all)
}

// entry is an object as the index takes it: it has one vector, or some by their names.
type entry struct {
	id         string
	properties map[string]any
	vector     []float32
	named      map[string][]float32
}

func (x *Index) insert(ctx context.Context, p Partition, entries []entry) error {
	if err := x.prepared(ctx, p); err != nil {
		return err
	}
	last := len(entries) - 1
	err := x.whenBack(ctx, p, func() error { return x.batch(ctx, p, entries[:last]) })
	if err == nil {
		err = x.whenBack(ctx, p, func() error { return x.one(ctx, p, entries[last]) })
	}
	if err != nil {
		x.forget(p.collection())
	}
	return err
}

func (p Partition) object(e entry) (*pb.BatchObject, error) {
	fields, err := structpb.NewStruct(e.properties)
	if err != nil {
		return nil, fault.Internal(err)
	}
	o := &pb.BatchObject{
		Collection: p.collection(), Tenant: p.Workspace, Uuid: e.id, VectorBytes: Bytes(e.vector),
		Properties: &pb.BatchObject_Properties{NonRefProperties: fields},
	}
	for name, v := range e.named {
		o.Vectors = append(o.Vectors, &pb.Vectors{Name: name, VectorBytes: Bytes(v)})
	}
	return o, nil
}

func (x *Index) batch(ctx context.Context, p Partition, entries []entry) error {
	if len(entries) == 0 {
		return nil
	}
	request := &pb.BatchObjectsRequest{Objects: make([]*pb.BatchObject, len(entries))}
	for i, e := range entries {
		var err error
		if request.Objects[i], err = p.object(e); err != nil {
			return err
		}
	}
	own, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	answer, err := x.calls.BatchObjects(own, request)
	if err != nil {
		return translate(err)
	}
	if refused := answer.GetErrors(); len(refused) > 0 { // the call itself succeeds all the same
		return fault.Unavailable(fmt.Errorf("the index refused %d objects: %s", len(refused), refused[0].GetError()))
	}
	return nil
}

// one writes an object; one that is there already is replaced.
func (x *Index) one(ctx context.Context, p Partition, e entry) error {
	create := func() error {
		creator := x.client.Data().Creator().WithClassName(p.collection()).WithTenant(p.Workspace).WithID(e.id).WithProperties(e.properties)
		if e.named != nil {
			named := models.Vectors{}
			for name, v := range e.named {
				named[name] = v
			}
			creator = creator.WithVectors(named)
		} else {
			creator = creator.WithVector(e.vector)
		}
		_, err := creator.Do(ctx)
		return err
	}
	err := create()
	if err != nil && saysExists(err) {
		if err := x.remove(ctx, p, e.id); err != nil {
			return err
		}
		err = create()
	}
	return translate(err)
}

func equal(property, value string) *filters.WhereBuilder {
	return filters.Where().WithPath([]string{property}).WithOperator(filters.Equal).WithValueText(value)
}

// absences are what the index says of tenants and collections that are not there.
var absences = []string{
	"tenant not found", "could not find class", "class not found", "failed to get class", "non-existing index", "Cannot query field",
	"no graphql provider present",
}

// nothingThere reports whether a workspace has nothing in the index.
func nothingThere(message string) bool {
	return slices.ContainsFunc(absences, func(said string) bool { return strings.Contains(message, said) })
}

// absent reports whether the index answered that what was asked about is not there.
func absent(err error) bool {
	var refused *client.WeaviateClientError
	return errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound || nothingThere(err.Error())
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
		return fault.Unavailable(fmt.Errorf("the index refused: %s", refused.Msg))
	default:
		return fault.Unavailable(err)
	}
}
