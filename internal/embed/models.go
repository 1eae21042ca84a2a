package embed

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// sameModel is the cosine of two vectors of the probe sentence from which on
// their models are the same.
const sameModel = 0.999

// ErrModelChanged is that the vectors which are there are of no model that is
// configured.
var ErrModelChanged = errors.New("embedding-model-changed: the index holds vectors of another model; build it again with `redline admin index reembed`")

// Models are those of a process: the current one, and the one that it replaces
// as long as that is still configured.
type Models struct {
	current, previous Embedder

	mu sync.Mutex
	// agreed are the models, by identity, that were found to be those of a probe
	// vector.
	agreed map[string]agreement
}

// agreement is that a model made a vector of the probe sentence.
type agreement struct {
	probe []float32
	model Embedder
}

// NewModels makes them; previous may be nil.
func NewModels(current, previous Embedder) *Models {
	return &Models{current: current, previous: previous, agreed: map[string]agreement{}}
}

// Current is the configured model.
func (m *Models) Current() Embedder { return m.current }

// Probe returns the current model's vector of the probe sentence.
func (m *Models) Probe(ctx context.Context) ([]float32, error) { return probe(ctx, m.current) }

// SameModel finds out by two vectors of the probe sentence whether one model made both.
func SameModel(a, b []float32) bool { return len(a) == len(b) && Cosine(a, b) >= sameModel }

// probe asks as for a query, which waits behind no passages.
func probe(ctx context.Context, e Embedder) ([]float32, error) {
	vectors, err := e.Embed(ctx, []string{Probe}, Query)
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// For returns the model of that identity and probe vector, of which it may be
// known from before that they agree. It remembers the vectors of questions, and one that is
// reached over a network finds out with each other question whether it is still the same.
// Error: ErrModelChanged.
func (m *Models) For(ctx context.Context, identity string, kept []float32) (Embedder, error) {
	m.mu.Lock()
	known := m.agreed[identity]
	m.mu.Unlock()
	if known.model != nil && slices.Equal(known.probe, kept) {
		return known.model, nil
	}
	return m.Verify(ctx, identity, kept)
}

// Verify is For that asks the model again, as is due before vectors are written: what is
// behind an endpoint may have changed under its name. Then no vector of a question is
// remembered.
func (m *Models) Verify(ctx context.Context, identity string, kept []float32) (Embedder, error) {
	e := m.named(identity)
	if absent, is := m.current.(Absent); is && e == nil {
		return nil, absent.Cause // it may be the right one, which cannot be had here
	}
	if e == nil {
		return nil, ErrModelChanged
	}
	own, err := probe(ctx, e)
	if err != nil {
		return nil, err
	}
	agree := SameModel(own, kept)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !agree {
		delete(m.agreed, identity)
		return nil, ErrModelChanged
	}
	known := m.agreed[identity]
	if known.model == nil || !slices.Equal(known.probe, kept) {
		known = agreement{probe: kept, model: remember(m.proving(e, kept))}
		m.agreed[identity] = known
	}
	return known.model, nil
}

// proven is a model behind an address, where another one may stand in its stead at any time.
// With each question it is asked for the probe sentence too, in the same request, so that no
// question gets the vector of another model.
type proven struct {
	Embedder

	kept []float32
	// changed is called when the vector of the probe sentence is another one.
	changed func()
}

// Embed is that of the model. Error besides: ErrModelChanged.
func (p proven) Embed(ctx context.Context, texts []string, use Use) ([][]float32, error) {
	if !use.asked() {
		return p.Embedder.Embed(ctx, texts, use)
	}
	vectors, err := p.Embedder.Embed(ctx, append(slices.Clip(texts), Probe), use)
	if err != nil {
		return nil, err
	}
	if !SameModel(vectors[len(texts)], p.kept) {
		p.changed()
		return nil, ErrModelChanged
	}
	return vectors[:len(texts)], nil
}

// proving makes a model that agrees with a probe vector one that proves it. Those in the
// process stay what they are.
func (m *Models) proving(e Embedder, kept []float32) Embedder {
	if _, addressed := e.(*HTTP); !addressed {
		return e
	}
	return proven{Embedder: e, kept: kept, changed: func() { m.forget(e.Identity().String(), kept) }}
}

// forget ends an agreement, so that the model is asked again before it is used.
func (m *Models) forget(identity string, kept []float32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Equal(m.agreed[identity].probe, kept) {
		delete(m.agreed, identity)
	}
}

func (m *Models) named(identity string) Embedder {
	for _, e := range []Embedder{m.current, m.previous} {
		if e != nil && e.Identity().String() == identity {
			return e
		}
	}
	return nil
}
