package activities

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/vector"
)

// rows keeps one version in memory. What is not overridden here is not called.
type rows struct {
	IngestionRows

	inStage    time.Duration
	reason     string
	chunks     []models.StoredChunk
	rules      []models.StoredRule
	left       []models.Unembedded
	stored     []models.Embedded
	model      models.IndexModel
	count      int
	finished   []string
	mime, body string
}

func (r *rows) BeginStage(context.Context, models.OwedVersion, string) (models.Work, error) {
	return models.Work{MimeType: r.mime, OriginalKey: "original", CanonicalKey: "canonical", InStage: r.inStage}, nil
}

func (r *rows) FinishStage(_ context.Context, _ models.OwedVersion, stage string) error {
	r.finished = append(r.finished, stage)
	return nil
}

func (r *rows) Fail(_ context.Context, _ models.OwedVersion, reason, _ string) error {
	r.reason = reason
	return nil
}

func (r *rows) Converted(context.Context, models.OwedVersion, string, []byte, []byte) error {
	return nil
}

func (r *rows) StoreChunks(_ context.Context, _ models.OwedVersion, chunks []models.StoredChunk, _ string) error {
	r.chunks = chunks
	return nil
}

func (r *rows) StoreRules(_ context.Context, _ models.OwedVersion, rules []models.StoredRule, _ []byte) error {
	r.rules = rules
	return nil
}

func (r *rows) Unembedded(context.Context, models.OwedVersion, int) ([]models.Unembedded, error) {
	left := r.left
	r.left = nil
	return left, nil
}

func (r *rows) KnownVectors(context.Context, string, string, [][]byte) (map[string]bool, error) {
	return map[string]bool{}, nil
}

func (r *rows) StoreVectors(_ context.Context, _ models.OwedVersion, _ string, done []models.Embedded) error {
	r.stored = append(r.stored, done...)
	return nil
}

func (r *rows) VectorPage(context.Context, models.OwedVersion, string, vector.Corpus, int, int) ([]vector.Object, int, error) {
	return make([]vector.Object, r.count), -1, nil
}

func (r *rows) CountRows(context.Context, models.OwedVersion, vector.Corpus) (int, error) {
	return r.count, nil
}

func (r *rows) KeepIndexModel(_ context.Context, m models.IndexModel) (models.IndexModel, error) {
	if r.model.Identity == "" {
		r.model = m
	}
	return r.model, nil
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

// counting is an index that says how many objects it has.
type counting struct {
	VectorStore

	have int
}

func (c counting) Upsert(context.Context, string, vector.Corpus, []vector.Object) error { return nil }

func (c counting) Count(context.Context, string, vector.Corpus, string) (int, error) {
	return c.have, nil
}

// carryOut runs one stage as the engine does.
func carryOut(t *testing.T, r *rows, index VectorStore, embedder embed.Embedder, stage string) (contract.StageResult, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	work := NewIngestion(IngestionParts{Rows: r, Files: r, Index: index, Embedder: embedder})
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
		extract.UnsupportedFormat: {mime: extract.TypeCSV, body: "a,b"},
	} {
		result, err := carryOut(t, r, nil, embed.Lexical{}, models.StageConverting)
		require.NoError(t, err)
		require.True(t, result.Ended)
		require.Equal(t, want, r.reason)
	}
}

func TestStageBearsAPassingFaultForSixHours(t *testing.T) {
	r := &rows{mime: extract.TypeText, body: "away", inStage: 6*time.Hour - time.Second}
	_, err := carryOut(t, r, nil, embed.Lexical{}, models.StageConverting)
	require.Error(t, err)
	require.Empty(t, r.reason)
	r.inStage = 6 * time.Hour
	result, err := carryOut(t, r, nil, embed.Lexical{}, models.StageConverting)
	require.NoError(t, err)
	require.True(t, result.Ended)
	require.Equal(t, "storage-failed", r.reason)
}

func TestChunksAndRulesAreTakenFromTheText(t *testing.T) {
	r := &rows{body: "# Doors\n\nDoors must be shut.\n"}
	for _, stage := range []string{models.StageChunking, models.StageRules} {
		_, err := carryOut(t, r, nil, embed.Lexical{}, stage)
		require.NoError(t, err)
	}
	require.Equal(t, []models.StoredChunk{{Path: "Doors", Content: "Doors must be shut.", Tokens: 5}}, r.chunks)
	require.Len(t, r.rules, 1)
	require.Equal(t, "Doors", r.rules[0].Category)
}

func TestOneTextIsEmbeddedOnce(t *testing.T) {
	r := &rows{left: []models.Unembedded{{Corpus: vector.Chunks, Content: "same"}, {Corpus: vector.Rules, Content: "same"}, {Corpus: vector.Chunks, Ordinal: 1, Path: "p", Content: "same"}}}
	_, err := carryOut(t, r, nil, embed.Lexical{}, models.StageEmbedding)
	require.NoError(t, err)
	require.Equal(t, []string{models.StageEmbedding}, r.finished)
	require.NotNil(t, r.stored[0].Vector)
	require.Nil(t, r.stored[1].Vector)
	require.Equal(t, r.stored[0].Hash, r.stored[1].Hash)
	require.NotNil(t, r.stored[2].Vector)
}

func TestAnotherModelWaits(t *testing.T) {
	r := &rows{model: models.IndexModel{Identity: "other", Probe: []float32{1}}, inStage: 7 * time.Hour}
	_, err := carryOut(t, r, nil, embed.Lexical{}, models.StageEmbedding)
	require.Error(t, err)
	require.Empty(t, r.reason)
	require.Empty(t, r.finished)
}

func TestIndexMustHaveAsManyObjectsAsThereAreRows(t *testing.T) {
	r := &rows{count: 3}
	_, err := carryOut(t, r, counting{have: 2}, embed.Lexical{}, models.StageIndexing)
	require.Error(t, err)
	require.Empty(t, r.finished)
	_, err = carryOut(t, r, counting{have: 3}, embed.Lexical{}, models.StageIndexing)
	require.NoError(t, err)
	require.Equal(t, []string{models.StageIndexing}, r.finished)
}
