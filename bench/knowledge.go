package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// knowledgeChunks of real text are in the index when searches are measured.
	knowledgeChunks = 20_000
	// knowledgeQuestions are asked; each lies between two passages.
	knowledgeQuestions = 200
	// knowledgeRounds are how often each is asked in a block: by a process that has
	// just begun the first few hundred searches take longer than all later ones.
	knowledgeRounds = 10
	knowledgeHits   = 10
	knowledgeBlocks = 5
	// knowledgeLimit is how long bringing everything in may take the first time.
	knowledgeLimit = 40 * time.Minute
)

// library is real text in the index, with questions whose vectors are known.
type library struct {
	rig *rig
	api *client.Session
	// vectors of the index and of the questions, and of the sentence by which
	// models are distinguished. sources has the source of each vector of the index.
	vectors, questions [][]float32
	sources            []string
	probe              []float32
	// collection is that of the chunks, model how the service calls the one that
	// made their vectors.
	collection, model string
}

// knownModel is how the service calls the model of the endpoint that knows the
// vectors.
const knownModel = "http/known/384/v1"

// benchKnowledge compares knowledge/search with the same query straight to the
// index, and its hits with an exact scan over the same vectors.
func benchKnowledge(ctx context.Context, r *rig) ([]measure.Row, error) {
	l := &library{rig: r}
	if err := l.fill(ctx); err != nil {
		return nil, err
	}
	stub, err := corpus.NewEmbedder(l.questions, l.probe)
	if err != nil {
		return nil, err
	}
	defer stub.Close()
	if err := l.claim(ctx, knownModel); err != nil {
		return nil, err
	}
	service, err := r.stack.Service(ctx, "knowledge-api", "api", map[string]string{
		"REDLINE_EMBEDDER": "http", "REDLINE_EMBED_URL": stub.URL, "REDLINE_EMBED_MODEL": "known", "REDLINE_EMBED_DIMENSIONS": "384",
	})
	if err != nil {
		return nil, err
	}
	defer service.Kill()
	l.api = r.Workspace.Keyed.At(service.URL)
	// The service remembers the vectors of questions: what is measured from here on
	// is without the embedder on both sides.
	if _, err := measure.Spread(ctx, measure.Callers, len(l.questions), l.ask); err != nil {
		return nil, err
	}
	rows, err := l.speed(ctx)
	if err != nil {
		return nil, err
	}
	recall, err := l.recall(ctx)
	if err != nil {
		return nil, err
	}
	full, err := l.full(ctx)
	return append(append(rows, recall...), full), errors.Join(err, l.claim(ctx, l.model))
}

// speed asks the service and the index itself, by both of its interfaces, in
// alternating blocks of 16 callers each.
func (l *library) speed(ctx context.Context) ([]measure.Row, error) {
	index, err := l.index()
	if err != nil {
		return nil, err
	}
	defer index.Close()
	blocks, err := l.blocks(ctx, 50, l.ask, index.Call, index.Text)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("knowledge/search, %d chunks, 16 callers, p50 without the embedder", len(l.vectors))
	return []measure.Row{
		measure.AtMost(1.3, searchRow(name, "the same query straight to the index, gRPC as the service asks", blocks[0])),
		measure.Beside(searchRow(name, "the same query straight to the index, GraphQL as its client library asks", blocks[1])),
	}, nil
}

// index is the one that the service searches, asked by itself.
func (l *library) index() (*bare.Index, error) {
	env := l.rig.stack.Env
	return bare.NewIndex(env["REDLINE_WEAVIATE_ADDR"], env["REDLINE_WEAVIATE_GRPC_ADDR"], bare.Question{
		Collection: l.collection, Tenant: l.rig.Workspace.ID, Vectors: l.questions, Hits: knowledgeHits,
	})
}

func searchRow(name, what string, blocks []measure.Pair) measure.Row {
	measured, against := measure.Medians(blocks)
	return measure.Row{Name: name, Unit: "ms", Measured: measured, What: what, Against: against, Blocks: blocks}
}

// blocks are a percentile of the milliseconds of ours, paired with that of each
// of the others, all with 16 callers and in alternating blocks.
func (l *library) blocks(ctx context.Context, percent int, ours func(context.Context, int) error, others ...func(context.Context, int) error) ([][]measure.Pair, error) {
	pairs := make([][]measure.Pair, len(others))
	for range knowledgeBlocks {
		own, err := l.rounds(ctx, ours)
		if err != nil {
			return nil, err
		}
		for i, ask := range others {
			took, err := l.rounds(ctx, ask)
			if err != nil {
				return nil, err
			}
			pairs[i] = append(pairs[i], measure.Pair{Measured: measure.Percentile(own.Took, percent), Against: measure.Percentile(took.Took, percent)})
		}
	}
	return pairs, nil
}

// rounds asks all questions several times.
func (l *library) rounds(ctx context.Context, ask func(context.Context, int) error) (measure.Sample, error) {
	return measure.Spread(ctx, measure.Callers, knowledgeRounds*len(l.questions), func(ctx context.Context, i int) error {
		return ask(ctx, i%len(l.questions))
	})
}

// ask asks question i through the service.
func (l *library) ask(ctx context.Context, i int) error {
	_, err := l.search(ctx, i, nil)
	return err
}

// search is ask that returns the distances. Sources narrow it, if there are any.
func (l *library) search(ctx context.Context, i int, among []string) ([]float64, error) {
	type answer struct {
		Results []struct{ Score *float64 }
	}
	asked := map[string]any{"query": fmt.Sprint("question ", i), "limit": knowledgeHits}
	switch len(among) {
	case 0:
	case 1:
		asked["sourceId"] = among[0]
	default:
		asked["sourceId"] = among
	}
	found, err := client.Call[answer](ctx, l.api, "memory/knowledge/search", asked)
	if err != nil {
		return nil, err
	}
	distances := make([]float64, 0, knowledgeHits)
	for _, hit := range found.Results {
		if hit.Score == nil {
			return nil, errors.New("a search fell back")
		}
		distances = append(distances, *hit.Score)
	}
	if len(distances) != knowledgeHits {
		return nil, fmt.Errorf("a search found %d", len(distances))
	}
	return distances, nil
}

// fill brings real text in until there are enough chunks. Vectors that a former
// run has made are put into the rows first, so that nothing is embedded twice.
func (l *library) fill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, knowledgeLimit)
	defer cancel()
	if err := corpus.Preload(ctx, l.rig.Rows, l.rig.Workspace.ID); err != nil {
		return err
	}
	texts, err := corpus.Text()
	if err != nil {
		return err
	}
	if err := errors.Join(l.rig.bringInAll(ctx, texts), corpus.Keep(ctx, l.rig.Rows, l.rig.Workspace.ID)); err != nil {
		return err
	}
	if l.vectors, l.sources, err = l.rig.indexed(ctx); err != nil {
		return err
	}
	l.think()
	return l.look(ctx)
}

// look reads what the index's vectors are of and where they lie.
func (l *library) look(ctx context.Context) error {
	var suffix string
	var probe []byte
	err := l.rig.Rows.QueryRow(ctx, `SELECT suffix, probe, identity FROM index_generations WHERE state = 'serving'`).Scan(&suffix, &probe, &l.model)
	l.collection, l.probe = "RedlineChunks"+suffix, corpus.Floats(probe)
	return err
}

// claim names the model of the vectors in the index: the endpoint's, or its own
// again.
func (l *library) claim(ctx context.Context, model string) error {
	_, err := l.rig.Rows.Exec(ctx, `UPDATE index_generations SET identity = $1 WHERE state = 'serving'`, model)
	return err
}

// think makes questions of vectors that lie between two passages: near real text
// and none of it.
func (l *library) think() {
	for i := range knowledgeQuestions {
		one, other := l.vectors[i*len(l.vectors)/knowledgeQuestions], l.vectors[(i*7919+13)%len(l.vectors)]
		l.questions = append(l.questions, corpus.Mixed(one, other, 0.2))
	}
}

// bringInAll ingests texts until there are enough chunks.
func (r *rig) bringInAll(ctx context.Context, texts []string) error {
	chunks := 0
	for _, text := range texts {
		n, err := r.bringIn(ctx, text)
		if err != nil {
			return err
		}
		if chunks += n; chunks >= knowledgeChunks {
			return nil
		}
		fmt.Fprintf(os.Stderr, "  %d of %d chunks are in the index\n", chunks, knowledgeChunks)
	}
	return fmt.Errorf("there is only text for %d chunks", chunks)
}

// bringIn ingests a text and returns the number of its chunks.
func (r *rig) bringIn(ctx context.Context, text string) (int, error) {
	source, err := accept(ctx, r.Workspace, []byte(text), corpus.PlainText)
	if err != nil {
		return 0, err
	}
	done, err := r.ended(ctx, r.Workspace, source, "completed")
	return done.ChunkCount, err
}

// indexed reads the vectors of all chunks, and the source of each.
func (r *rig) indexed(ctx context.Context) (vectors [][]float32, sources []string, err error) {
	rows, err := r.Rows.Query(ctx, `SELECT v.vector, c.source_id FROM chunks c JOIN vectors v ON v.workspace_id = c.workspace_id AND v.text_hash = c.text_hash
WHERE c.workspace_id = $1 ORDER BY c.source_id, c.ordinal`, r.Workspace.ID)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var raw []byte
		var source string
		if err := rows.Scan(&raw, &source); err != nil {
			return nil, nil, err
		}
		vectors, sources = append(vectors, corpus.Floats(raw)), append(sources, source)
	}
	return vectors, sources, rows.Err()
}
