package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/vector"
)

// ingestionPatience is how long a fault that may pass is borne in one stage.
const ingestionPatience = 6 * time.Hour

// IngestionRows is what an ingestion needs of the rows (*models.Knowledge).
type IngestionRows interface {
	BeginStage(ctx context.Context, v models.OwedVersion, stage string) (models.Work, error)
	FinishStage(ctx context.Context, v models.OwedVersion, stage string) error
	Fail(ctx context.Context, v models.OwedVersion, reason, message string) error
	Converted(ctx context.Context, v models.OwedVersion, canonicalKey string, hash, metadata []byte) error
	StoreChunks(ctx context.Context, v models.OwedVersion, chunks []models.StoredChunk, makers string) error
	StoreRules(ctx context.Context, v models.OwedVersion, rules []models.StoredRule, metadata []byte) error
	Complete(ctx context.Context, v models.OwedVersion) error
	VersionVectors
	Generations
	IngestionWaste
}

// VersionVectors is what embedding and indexing need of the rows of a version.
type VersionVectors interface {
	Unembedded(ctx context.Context, v models.OwedVersion, model string, corpus vector.Corpus, from, limit int) ([]models.Unembedded, error)
	KnownVectors(ctx context.Context, workspaceID, model string, hashes [][]byte) (map[string]bool, error)
	StoreVectors(ctx context.Context, v models.OwedVersion, model string, corpus vector.Corpus, rows []models.Embedded) error
	VectorPage(ctx context.Context, v models.OwedVersion, model string, corpus vector.Corpus, from, limit int) ([]vector.Object, int, error)
	CountRows(ctx context.Context, v models.OwedVersion, corpus vector.Corpus) (int, error)
}

// Generations are those of the index.
type Generations interface {
	Serving(ctx context.Context, fresh bool) (*models.Generation, error)
	FirstGeneration(ctx context.Context, identity string, probe []float32) (*models.Generation, error)
	Indexed(ctx context.Context, v models.OwedVersion, generationID string) error
}

// IngestionFiles keeps files (*blob.Store).
type IngestionFiles interface {
	FileReader
	FileWriter
	Delete(ctx context.Context, key string) error
}

// VectorStore is the index (*vector.Index).
type VectorStore interface {
	Insert(ctx context.Context, p vector.Place, objects []vector.Object) error
	Count(ctx context.Context, p vector.Place, version string) (int, error)
	DeleteVersion(ctx context.Context, p vector.Place, version string) error
	Drop(ctx context.Context, suffix string) error
}

// PDFConverter converts a PDF file (*pdf.Converter).
type PDFConverter interface {
	Convert(ctx context.Context, file []byte) (extract.Document, error)
}

// IngestionParts are what the activities of ingestions are made of.
type IngestionParts struct {
	Rows   IngestionRows
	Files  IngestionFiles
	Index  VectorStore
	Models *embed.Models
	PDF    PDFConverter
}

// Ingestion are the activities of the Ingestion workflow.
type Ingestion struct {
	IngestionParts

	places places
}

// NewIngestion makes the activities.
func NewIngestion(p IngestionParts) *Ingestion {
	return &Ingestion{IngestionParts: p, places: make(places, workPlaces)}
}

// stage does the work of one stage.
type stage func(*Ingestion, context.Context, models.OwedVersion, models.Work) error

var stages = map[string]stage{
	models.StageConverting: (*Ingestion).convert,
	models.StageChunking:   (*Ingestion).chunk,
	models.StageRules:      (*Ingestion).extractRules,
	models.StageEmbedding:  (*Ingestion).embed,
	models.StageIndexing:   (*Ingestion).index,
	models.StageCompleted: func(i *Ingestion, ctx context.Context, v models.OwedVersion, _ models.Work) error {
		return i.Rows.Complete(ctx, v)
	},
}

// Stage carries out one stage of a version, unless it is finished. A fault of
// the file ends the version; other faults are tried again by the engine for as
// long as the stage may take.
func (i *Ingestion) Stage(ctx context.Context, in contract.StageInput) (contract.StageResult, error) {
	v := models.OwedVersion{WorkspaceID: in.WorkspaceID, SourceID: in.SourceID, Version: in.Version}
	stop := beat(ctx)
	defer stop()
	if err := i.places.take(ctx); err != nil {
		return contract.StageResult{}, engineError(ctx, err)
	}
	defer i.places.leave()
	work, err := i.Rows.BeginStage(ctx, v, in.Stage)
	if err != nil || work.Ended || work.Beyond {
		return contract.StageResult{Ended: work.Ended}, engineError(ctx, err)
	}
	err = stages[in.Stage](i, ctx, v, work)
	reason, message := failureOf(in.Stage, err, work.InStage)
	if reason == "" {
		return contract.StageResult{}, engineError(ctx, err)
	}
	slog.WarnContext(ctx, "a version could not be brought in", "sourceId", v.SourceID, "version", v.Version, "reason", reason, "error", err)
	if err := i.Rows.Fail(ctx, v, reason, message); err != nil {
		return contract.StageResult{}, engineError(ctx, err)
	}
	return contract.StageResult{Ended: true}, nil
}

// lastingFaults are the reasons of stages whose fault did not pass in time.
var lastingFaults = map[string][2]string{
	models.StageConverting: {"storage-failed", "The file store could not be used for six hours."},
	models.StageChunking:   {"storage-failed", "The file store could not be used for six hours."},
	models.StageRules:      {"storage-failed", "The file store could not be used for six hours."},
	models.StageEmbedding:  {"embedding-failed", "The text could not be embedded for six hours."},
	models.StageIndexing:   {"index-failed", "The index could not be written for six hours."},
}

// failureOf tells why a version fails, or nothing when it goes on.
func failureOf(stage string, err error, lasted time.Duration) (reason, message string) {
	if file := extract.AsFailure(err); file != nil {
		return file.Reason, file.Message
	}
	lasting, known := lastingFaults[stage]
	if err == nil || !known || lasted < ingestionPatience || errors.Is(err, embed.ErrModelChanged) {
		return "", ""
	}
	return lasting[0], lasting[1]
}

// stopping gives an error once the worker is about to stop, or the operator has
// had enough: another one goes on from the rows.
func stopping(ctx context.Context) error {
	if !activity.IsActivity(ctx) {
		return ctx.Err()
	}
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return fault.Away(context.Canceled)
	case <-ctx.Done():
		return ctx.Err()
	default:
		return nil
	}
}
