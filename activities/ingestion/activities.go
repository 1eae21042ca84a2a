package ingestion

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/activities/indexing"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// Rows is what an ingestion needs of the rows (*knowledge.Knowledge).
type Rows interface {
	BeginStage(ctx context.Context, v knowledge.VersionRef, stage string) (knowledge.StageInput, error)
	// InWork reports whether a version has not ended yet.
	InWork(ctx context.Context, v knowledge.VersionRef) (bool, error)
	FinishStage(ctx context.Context, v knowledge.VersionRef, stage string) error
	Fail(ctx context.Context, v knowledge.VersionRef, reason, message string) error
	Converted(ctx context.Context, v knowledge.VersionRef, canonicalKey string, metadata []byte) error
	StoreChunks(ctx context.Context, v knowledge.VersionRef, chunks []knowledge.StoredChunk, makers string) error
	StoreRules(ctx context.Context, v knowledge.VersionRef, rules []knowledge.StoredRule, metadata []byte) error
	Complete(ctx context.Context, v knowledge.VersionRef) error
	indexing.Rows
	Generations
	Waste
}

// Generations are those of the index.
type Generations interface {
	Serving(ctx context.Context, fresh bool) (*knowledge.Generation, error)
	FirstGeneration(ctx context.Context, identity string, probe []float32) (*knowledge.Generation, error)
	MarkIndexed(ctx context.Context, v knowledge.VersionRef, generationID string) error
}

// Files keeps files (*blob.Store).
type Files interface {
	FileReader
	FileWriter
	Delete(ctx context.Context, key string) error
}

// Index is the index (*vector.Index).
type Index interface {
	indexing.Index
	Drop(ctx context.Context, suffix string) error
	Release(ctx context.Context, suffix string, workspaces []string) error
}

// JudgmentVectors are the rows of vectors of judgments (*judgment.Judgments).
type JudgmentVectors interface {
	// ForgetVectors removes those of a generation's model that no other one needs.
	ForgetVectors(ctx context.Context, generationID, model string) error
}

// Converter converts files of a type (*confined.Converter).
type Converter interface {
	Convert(ctx context.Context, file []byte) (extract.Document, error)
}

// Parts are what the activities are made of.
type Parts struct {
	Rows Rows
	// Judgments are what a generation that serves no more leaves behind besides.
	Judgments JudgmentVectors
	Files     Files
	Index     Index
	// Lost returns a fault where the index has lost what it had at a place.
	Lost   func(ctx context.Context, p vector.Partition) error
	Models *embed.Models
	// Converters are those of the types that are taken in, Drawing draws from their texts.
	Converters map[string]Converter
	Drawing    knowledge.Drawing
	// RemoteModel says that a server makes the vectors, so that to wait for one takes
	// nothing that others could use.
	RemoteModel bool
	// Patience is for how long a stage is tried again after its first fault, which may pass.
	Patience time.Duration
}

const (
	// workSlots is how many stages work at once in a process. They share the
	// processor and the connections to the rows, so more would only make each slower.
	workSlots = 8
	// modelTurns is how many versions use the model at once: enough for it to have
	// work while texts of some are read and vectors stored.
	modelTurns = 8
	// remoteTurns is the same where a server makes the vectors: as many as it is asked at
	// once. Turns are shared among workspaces, and what the server is asked is not: with
	// more turns, the texts of one workspace that it is slow with would be all that it is
	// asked, and keep the texts of all others waiting.
	remoteTurns = embed.HTTPPassages
)

// Activities are the activities of the Ingestion workflow.
type Activities struct {
	Parts

	slots *slots.Slots
	// converters are those of the processes that read files and texts, one for each core,
	// turns those of the versions that use the model. Who holds one of them holds no slot.
	converters, turns *slots.Slots
}

// New makes the activities.
func New(p Parts) *Activities {
	turns := int64(modelTurns)
	if p.RemoteModel {
		turns = remoteTurns
	}
	return &Activities{
		Parts: p, slots: slots.New(workSlots),
		converters: slots.New(int64(runtime.GOMAXPROCS(0))), turns: slots.New(turns),
	}
}

// stage does the work of one stage.
type stage func(*Activities, context.Context, knowledge.VersionRef, knowledge.StageInput) error

var stages = map[string]stage{
	knowledge.StageConverting: (*Activities).convert,
	knowledge.StageChunking:   (*Activities).chunk,
	knowledge.StageRules:      (*Activities).extractRules,
	knowledge.StageEmbedding:  (*Activities).embed,
	knowledge.StageIndexing:   (*Activities).index,
	knowledge.StageCompleted: func(i *Activities, ctx context.Context, v knowledge.VersionRef, _ knowledge.StageInput) error {
		return i.Rows.Complete(ctx, v)
	},
}

// Stage carries out one stage of a version, unless it is finished. A fault of
// the file ends the version; others are tried again by Temporal until they have
// lasted beyond Patience.
func (i *Activities) Stage(ctx context.Context, in contract.StageInput) (contract.StageResult, error) {
	v := knowledge.VersionRef{WorkspaceID: in.WorkspaceID, SourceID: in.SourceID, Version: in.Version}
	faults := faultsOf(ctx)
	stop := faults.heartbeat(ctx)
	defer stop()
	own, cancel := within(ctx)
	defer cancel()
	if err := activities.Acquire(ctx, i.slots, v.WorkspaceID); err != nil {
		return contract.StageResult{}, activities.Error(ctx, err)
	}
	defer i.slots.Release(v.WorkspaceID, 1)
	work, err := i.Rows.BeginStage(ctx, v, in.Stage)
	if err != nil || work.Ended || work.Beyond {
		return contract.StageResult{Ended: work.Ended}, activities.Error(ctx, err)
	}
	err = i.whileInWork(own, v, func(ctx context.Context) error { return stages[in.Stage](i, ctx, v, work) })
	if errors.Is(err, errEnded) {
		return contract.StageResult{Ended: true}, nil
	}
	stop()
	reason, message := i.failureOf(ctx, faults, in.Stage, err)
	if reason == "" {
		return contract.StageResult{}, activities.Error(ctx, err)
	}
	slog.WarnContext(ctx, "a version could not be brought in", "source_id", v.SourceID, "source_version", v.Version, "reason", reason, "error", err)
	if err := i.Rows.Fail(ctx, v, reason, message); err != nil {
		return contract.StageResult{}, activities.Error(ctx, err)
	}
	return contract.StageResult{Ended: true}, nil
}

// lastingFaults are the reasons of stages whose fault did not pass in time.
var lastingFaults = map[string][2]string{
	knowledge.StageConverting: {"storage-failed", "The file store could not be used, however often that was tried again."},
	knowledge.StageChunking:   {"storage-failed", "The file store could not be used, however often that was tried again."},
	knowledge.StageRules:      {"storage-failed", "The file store could not be used, however often that was tried again."},
	knowledge.StageEmbedding:  {"embedding-failed", "The text could not be embedded, however often that was tried again."},
	knowledge.StageIndexing:   {"index-failed", "The index could not be written, however often that was tried again."},
}

// failureOf returns why a version fails, or nothing when it goes on. A try that was broken
// off, and one that waits for an operator, say nothing of how long a fault lasts.
func (i *Activities) failureOf(ctx context.Context, faults faults, stage string, err error) (reason, message string) {
	if file := extract.AsFailure(err); file != nil {
		return file.Reason, file.Message
	}
	lasting, known := lastingFaults[stage]
	if err == nil || !known || activities.Stopping(ctx) != nil || errors.Is(err, embed.ErrModelChanged) {
		return "", ""
	}
	if faults.note(ctx) < i.Patience {
		return "", ""
	}
	return lasting[0], lasting[1]
}
