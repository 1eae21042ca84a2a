package ingestion

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// rows keeps one version in memory. What is not overridden here is not called.
type rows struct {
	Rows

	// lasted is for how long the tries before have failed, noted whether this one says that it has.
	lasted     time.Duration
	noted      bool
	reason     string
	chunks     []knowledge.StoredChunk
	rules      []knowledge.StoredRule
	left       map[vector.Corpus][]knowledge.Unembedded
	mu         sync.Mutex // a batch is read while the one before is stored
	stored     []knowledge.Embedded
	generation *knowledge.Generation
	indexed    bool
	count      int
	finished   []string
	mime, body string
	// lost is the corpus of which the index has lost what it had.
	lost vector.Corpus
}

func (r *rows) lostAt(_ context.Context, p vector.Partition) error {
	if p.Corpus == r.lost {
		return fault.Unavailable(vector.ErrLost)
	}
	return nil
}

func (r *rows) BeginStage(context.Context, knowledge.VersionRef, string) (knowledge.StageInput, error) {
	return knowledge.StageInput{MimeType: r.mime, OriginalKey: "original", CanonicalKey: "canonical", Indexed: r.indexed}, nil
}

func (r *rows) InWork(context.Context, knowledge.VersionRef) (bool, error) { return true, nil }

func (r *rows) FinishStage(_ context.Context, _ knowledge.VersionRef, stage string) error {
	r.finished = append(r.finished, stage)
	return nil
}

func (r *rows) Fail(_ context.Context, _ knowledge.VersionRef, reason, _ string) error {
	r.reason = reason
	return nil
}

func (r *rows) Converted(context.Context, knowledge.VersionRef, string, []byte) error {
	return nil
}

func (r *rows) StoreChunks(_ context.Context, _ knowledge.VersionRef, chunks []knowledge.StoredChunk, _ string) error {
	r.chunks = chunks
	return nil
}

func (r *rows) StoreRules(_ context.Context, _ knowledge.VersionRef, rules []knowledge.StoredRule, _ []byte) error {
	r.rules = rules
	return nil
}

func (r *rows) Unembedded(_ context.Context, _ knowledge.VersionRef, _ string, corpus vector.Corpus, from, _ int) ([]knowledge.Unembedded, error) {
	var left []knowledge.Unembedded
	for _, u := range r.left[corpus] {
		if u.Ordinal >= from {
			left = append(left, u)
		}
	}
	return left, nil
}

func (r *rows) KnownVectors(context.Context, string, string, [][]byte) (map[string]bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := map[string]bool{}
	for _, e := range r.stored {
		known[string(e.Hash)] = true
	}
	return known, nil
}

func (r *rows) StoreVectors(_ context.Context, _ knowledge.VersionRef, _ string, _ vector.Corpus, done []knowledge.Embedded) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stored = append(r.stored, done...)
	return nil
}

func (r *rows) VectorPage(context.Context, knowledge.VersionRef, string, vector.Corpus, int, int) ([]vector.Object, int, error) {
	return make([]vector.Object, r.count), -1, nil
}

func (r *rows) CountRows(context.Context, knowledge.VersionRef, vector.Corpus) (int, error) {
	return r.count, nil
}

func (r *rows) Serving(context.Context, bool) (*knowledge.Generation, error) {
	return r.generation, nil
}

func (r *rows) FirstGeneration(_ context.Context, identity string, probe []float32) (*knowledge.Generation, error) {
	r.generation = &knowledge.Generation{ID: "gen_1", Suffix: "_1", Identity: identity, Probe: probe, Model: identity}
	return r.generation, nil
}

func (r *rows) MarkIndexed(_ context.Context, _ knowledge.VersionRef, generationID string) error {
	r.finished = append(r.finished, "indexed in "+generationID)
	return nil
}

// ReadAll, Write and Delete make rows its own store of files.
func (r *rows) ReadAll(context.Context, string) ([]byte, error) {
	if r.body == "away" {
		return nil, errors.New("the file store is away")
	}
	return []byte(r.body), nil
}

func (r *rows) Write(_ context.Context, _, _ string, content io.Reader) error {
	_, err := io.ReadAll(content)
	return err
}

func (r *rows) Delete(context.Context, string) error { return nil }

// counting is an index that says how many objects it has, and notes what it is
// asked for.
type counting struct {
	Index

	have int
	// hidden are objects that it does not count until they were removed by their ids.
	hidden int
	done   []string
}

func (c *counting) Insert(_ context.Context, p vector.Partition, _ []vector.Object) error {
	c.done = append(c.done, "insert "+string(p.Corpus)+p.Suffix)
	return nil
}

func (c *counting) DeleteVersion(_ context.Context, p vector.Partition, version string) error {
	c.done = append(c.done, "delete "+version+" "+string(p.Corpus)+p.Suffix)
	return nil
}

func (c *counting) Count(context.Context, vector.Partition, string) (int, error) { return c.have, nil }

func (c *counting) Delete(context.Context, vector.Partition, string) error {
	c.have += c.hidden
	c.hidden = 0
	c.done = append(c.done, "delete an object")
	return nil
}

// failed lets a try find what those before it left, and notes what it leaves.
func (r *rows) failed(env *testsuite.TestActivityEnvironment) {
	if r.lasted > 0 {
		env.SetHeartbeatDetails(time.Now().Add(-r.lasted))
	}
	env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
		var since time.Time
		r.noted = details.Get(&since) == nil && !since.IsZero()
	})
}

// carryOut runs one stage as Temporal does.
func carryOut(t *testing.T, r *rows, index Index, embedder embed.Embedder, stage string) (contract.StageResult, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	r.failed(env)
	work := inProcess(Parts{Rows: r, Files: r, Index: index, Lost: r.lostAt, Models: embed.NewModels(embedder, nil)})
	env.RegisterActivity(work.Stage)
	value, err := env.ExecuteActivity(work.Stage, contract.StageInput{
		IngestionInput: contract.IngestionInput{WorkspaceID: "ws", SourceID: "src", Version: 1}, Stage: stage,
	})
	if err != nil {
		return contract.StageResult{}, err
	}
	var result contract.StageResult
	require.NoError(t, value.Get(&result))
	return result, nil
}

func TestStageFailsForAFaultOfTheFileAtOnce(t *testing.T) {
	for want, r := range map[string]*rows{
		extract.Empty:             {mime: extract.TypeText, body: " \n"},
		extract.UnsupportedFormat: {mime: "text/html", body: "a,b"},
	} {
		result, err := carryOut(t, r, nil, embed.Lexical{}, knowledge.StageConverting)
		require.NoError(t, err)
		require.True(t, result.Ended)
		require.Equal(t, want, r.reason)
	}
}

func TestStageBearsAPassingFaultForSixHours(t *testing.T) {
	first := &rows{mime: extract.TypeText, body: "away"}
	_, err := carryOut(t, first, nil, embed.Lexical{}, knowledge.StageConverting)
	require.Error(t, err)
	require.True(t, first.noted, "the first fault is when it begins")
	r := &rows{mime: extract.TypeText, body: "away", lasted: 6*time.Hour - time.Minute}
	_, err = carryOut(t, r, nil, embed.Lexical{}, knowledge.StageConverting)
	require.Error(t, err)
	require.Empty(t, r.reason)
	require.True(t, r.noted, "the next try knows")
	r.lasted = 6 * time.Hour
	result, err := carryOut(t, r, nil, embed.Lexical{}, knowledge.StageConverting)
	require.NoError(t, err)
	require.True(t, result.Ended)
	require.Equal(t, "storage-failed", r.reason)
}

// stopping are files whose worker stops while one is read.
type stopping struct {
	*rows

	stop chan struct{}
}

func (s stopping) ReadAll(context.Context, string) ([]byte, error) {
	close(s.stop)
	return nil, errors.New("broken off")
}

func TestATryThatTheWorkersStopBrokeOffIsNoFault(t *testing.T) {
	s := stopping{&rows{mime: extract.TypeText, lasted: 7 * time.Hour}, make(chan struct{})}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerStopChannel(s.stop)
	s.failed(env)
	work := inProcess(Parts{Rows: s.rows, Files: s, Models: embed.NewModels(embed.Lexical{}, nil)})
	env.RegisterActivity(work.Stage)
	_, err := env.ExecuteActivity(work.Stage, contract.StageInput{Stage: knowledge.StageConverting})
	require.Error(t, err)
	require.False(t, s.noted)
	require.Empty(t, s.reason)
}

func TestChunksAndRulesAreTakenFromTheText(t *testing.T) {
	r := &rows{body: "# Doors\n\nDoors must be shut.\n"}
	for _, stage := range []string{knowledge.StageChunking, knowledge.StageRules} {
		_, err := carryOut(t, r, nil, embed.Lexical{}, stage)
		require.NoError(t, err)
	}
	require.Equal(t, []knowledge.StoredChunk{{Path: "Doors", Content: "Doors must be shut.", Tokens: 5}}, r.chunks)
	require.Len(t, r.rules, 1)
	require.Equal(t, "Doors", r.rules[0].Category)
}

func TestOneTextIsEmbeddedOnce(t *testing.T) {
	r := &rows{left: map[vector.Corpus][]knowledge.Unembedded{
		vector.Chunks: {{Content: "same"}, {Ordinal: 1, Path: "p", Content: "same"}}, vector.Rules: {{Content: "same"}},
	}}
	_, err := carryOut(t, r, nil, embed.Lexical{}, knowledge.StageEmbedding)
	require.NoError(t, err)
	require.Equal(t, []string{knowledge.StageEmbedding}, r.finished)
	require.NotNil(t, r.stored[0].Vector)
	require.NotNil(t, r.stored[1].Vector, "another path, another text")
	require.Nil(t, r.stored[2].Vector)
	require.Equal(t, r.stored[0].Hash, r.stored[2].Hash)
}

func TestAnotherModelWaits(t *testing.T) {
	r := &rows{generation: &knowledge.Generation{Identity: "other", Probe: []float32{1}}, lasted: 7 * time.Hour}
	for _, stage := range []string{knowledge.StageEmbedding, knowledge.StageIndexing} {
		_, err := carryOut(t, r, nil, embed.Lexical{}, stage)
		require.Error(t, err)
		require.Empty(t, r.reason)
		require.Empty(t, r.finished)
	}
	require.False(t, r.noted, "it is no fault")
}

func TestIndexMustHaveAsManyObjectsAsThereAreRows(t *testing.T) {
	r := &rows{count: 3}
	_, err := carryOut(t, r, &counting{have: 2}, embed.Lexical{}, knowledge.StageIndexing)
	require.Error(t, err)
	require.Empty(t, r.finished)
	x := &counting{have: 3}
	_, err = carryOut(t, r, x, embed.Lexical{}, knowledge.StageIndexing)
	require.NoError(t, err)
	require.Equal(t, []string{"indexed in gen_1"}, r.finished)
	require.Equal(t, []string{"insert RedlineChunks_1", "insert RedlineRules_1"}, x.done)
}

func TestObjectsThatAreNotFoundByTheirVersionAreReplaced(t *testing.T) {
	r, x := &rows{count: 1, indexed: true}, &counting{hidden: 1}
	_, err := carryOut(t, r, x, embed.Lexical{}, knowledge.StageIndexing)
	require.NoError(t, err)
	require.Equal(t, []string{"indexed in gen_1"}, r.finished)
	require.Equal(t, []string{
		"delete src/1 RedlineChunks_1", "insert RedlineChunks_1", "delete an object", "insert RedlineChunks_1",
		"delete src/1 RedlineRules_1", "insert RedlineRules_1",
	}, x.done)
}

func TestRepeatedIndexingBeginsWithAnEmptyPartition(t *testing.T) {
	r, x := &rows{count: 3, indexed: true}, &counting{have: 3}
	_, err := carryOut(t, r, x, embed.Lexical{}, knowledge.StageIndexing)
	require.NoError(t, err)
	require.Equal(t, []string{
		"delete src/1 RedlineChunks_1", "insert RedlineChunks_1",
		"delete src/1 RedlineRules_1", "insert RedlineRules_1",
	}, x.done)
}

// A version does not bring a place back that the index has lost with all that was in it.
func TestNothingIsIndexedWhereAPlaceIsLost(t *testing.T) {
	for _, corpus := range vector.Corpora {
		r, x := &rows{count: 3, lost: corpus}, &counting{have: 3}
		_, err := carryOut(t, r, x, embed.Lexical{}, knowledge.StageIndexing)
		require.Error(t, err)
		require.Empty(t, r.finished)
		require.Empty(t, x.done)
	}
}
