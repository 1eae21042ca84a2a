package ingestion

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// manyFiles has PDFs of one workspace and texts of others.
type manyFiles struct {
	*rows

	began, read atomic.Int32
	// ended says that no version is in work any more.
	ended atomic.Bool
}

const pdfWorkspace = "ws_pdf"

func (c *manyFiles) BeginStage(_ context.Context, v knowledge.VersionRef, _ string) (knowledge.StageInput, error) {
	c.began.Add(1)
	if v.WorkspaceID == pdfWorkspace {
		return knowledge.StageInput{MimeType: extract.TypePDF}, nil
	}
	return knowledge.StageInput{MimeType: extract.TypeText}, nil
}

func (c *manyFiles) InWork(context.Context, knowledge.VersionRef) (bool, error) {
	return !c.ended.Load(), nil
}

func (c *manyFiles) MarkIndexed(context.Context, knowledge.VersionRef, string) error { return nil }

func (c *manyFiles) ReadAll(context.Context, string) ([]byte, error) {
	c.read.Add(1)
	return []byte("a text"), nil
}

// endless is a converter, and a model, that never answers by itself.
type endless struct{ embed.Lexical }

func (endless) Convert(ctx context.Context, _ []byte) (extract.Document, error) {
	<-ctx.Done()
	return extract.Document{}, ctx.Err()
}

func (e endless) Embed(ctx context.Context, texts []string, use embed.Use) ([][]float32, error) {
	if use == embed.Query {
		return e.Lexical.Embed(ctx, texts, use) // the probe
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// staging carries out one stage of a version of a workspace.
func staging(work *Activities, workspaceID, source, stage string) (contract.StageResult, error) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(work.Stage)
	value, err := env.ExecuteActivity(work.Stage, contract.StageInput{
		IngestionInput: contract.IngestionInput{WorkspaceID: workspaceID, SourceID: source, Version: 1}, Stage: stage,
	})
	if err != nil {
		return contract.StageResult{}, err
	}
	var result contract.StageResult
	err = value.Get(&result)
	return result, err
}

// PDFs of one workspace that take as long as they may keep the text of another one
// from nothing, and those that wait are not in memory. Once their versions have
// ended they stop.
func TestSlowFilesOfOneWorkspaceDelayNoneOfAnother(t *testing.T) {
	const files = 64
	c := &manyFiles{rows: &rows{}}
	work := inProcess(Parts{Rows: c, Files: c, Models: embed.NewModels(embed.Lexical{}, nil), Converters: map[string]Converter{extract.TypePDF: endless{}}})
	var converting sync.WaitGroup
	var ended atomic.Int32
	for n := range files {
		converting.Go(func() {
			result, err := staging(work, pdfWorkspace, strconv.Itoa(n), knowledge.StageConverting)
			if err == nil && result.Ended {
				ended.Add(1)
			}
		})
	}
	require.Eventually(t, func() bool { return c.began.Load() == files }, time.Minute, time.Millisecond, "all of them wait for the converter or are in it")
	result, err := staging(work, "ws_text", "text", knowledge.StageConverting)
	require.NoError(t, err)
	require.False(t, result.Ended)
	require.Less(t, c.read.Load(), int32(files/2))

	c.ended.Store(true)
	began := time.Now()
	converting.Wait()
	require.Less(t, time.Since(began), time.Minute)
	require.EqualValues(t, files, ended.Load())
	require.Empty(t, c.reason, "none has failed")
}

// A stage that waits for the model stops when its version has ended.
func TestAStageStopsWhenItsVersionHasEnded(t *testing.T) {
	c := &manyFiles{rows: &rows{left: map[vector.Corpus][]knowledge.Unembedded{vector.Chunks: {{Content: "text"}}}}}
	c.ended.Store(true)
	work := inProcess(Parts{Rows: c, Files: c, Models: embed.NewModels(endless{}, nil)})
	result, err := staging(work, "ws_text", "text", knowledge.StageEmbedding)
	require.NoError(t, err)
	require.True(t, result.Ended)
	require.Empty(t, c.finished)
}

// gate is an index that takes nothing until it is opened, and notes what came.
type gate struct {
	counting

	mu   sync.Mutex
	came map[string]int
	open chan struct{}
}

func (g *gate) Insert(ctx context.Context, p vector.Partition, _ []vector.Object) error {
	g.mu.Lock()
	g.came[p.Workspace]++
	g.mu.Unlock()
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) inIt(workspaceID string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.came[workspaceID]
}

// While a workspace indexes all that it may, two slots of the process are left, and
// what two others bring is indexed beside it at once.
func TestNoWorkspaceIndexesInAllSlotsOfAProcess(t *testing.T) {
	const versions, mine = 16, 6
	g := &gate{counting: counting{have: 1}, came: map[string]int{}, open: make(chan struct{})}
	models := embed.NewModels(embed.Lexical{}, nil)
	probe, err := models.Probe(t.Context())
	require.NoError(t, err)
	c := &manyFiles{rows: &rows{count: 1, generation: &knowledge.Generation{Identity: models.Current().Identity().String(), Probe: probe}}}
	work := inProcess(Parts{Rows: c, Files: c, Index: g, Lost: c.lostAt, Models: models})
	var running sync.WaitGroup
	start := func(workspaceID string, count int) {
		for n := range count {
			running.Go(func() {
				_, err := staging(work, workspaceID, strconv.Itoa(n), knowledge.StageIndexing)
				assert.NoError(t, err)
			})
		}
	}
	start("ws_many", versions)
	require.Eventually(t, func() bool { return g.inIt("ws_many") == mine }, time.Minute, time.Millisecond)
	for _, other := range []string{"ws_few", "ws_late"} {
		start(other, 2)
		require.Eventually(t, func() bool { return g.inIt(other) == 1 }, time.Minute, time.Millisecond, "it has a slot")
	}
	require.Equal(t, mine, g.inIt("ws_many"), "none of those that wait has got one of them")
	close(g.open)
	running.Wait()
}
