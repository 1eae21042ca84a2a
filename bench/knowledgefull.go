package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
)

const (
	// fullChunks are in the index when searches of a full workspace are measured.
	fullChunks = 100_000
	// copyShare is how much of another passage the vector of a copy has.
	copyShare = 0.3
	copyBatch = 250
	// copyWriters keep both cores of the index busy.
	copyWriters = 4
)

// full fills the workspace up and compares the slow searches with the same
// straight to the index. There is not enough real text on the machine, and the
// model would need half an hour for it: so the chunks are those of the library
// several times over, and each copy has a vector of its own, mixed from that of
// its passage and that of another one. For the index that is as much work as other
// text; how well it finds is not measured here.
func (l *library) full(ctx context.Context) (measure.Row, error) {
	chunks, err := l.fillUp(ctx)
	if err != nil {
		return measure.Row{}, err
	}
	if err := l.rig.quiet(ctx); err != nil {
		return measure.Row{}, err
	}
	index, err := l.index()
	if err != nil {
		return measure.Row{}, err
	}
	defer index.Close()
	blocks, err := l.blocks(ctx, 95, l.ask, index.Call)
	if err != nil {
		return measure.Row{}, err
	}
	name := fmt.Sprintf("knowledge/search, %d chunks, 16 callers, p95 without the embedder", chunks)
	return measure.Below(150, searchRow(name, "the same query straight to the index, gRPC as the service asks", blocks[0])), nil
}

// passage is a chunk and its vector.
type passage struct {
	SourceID         string
	Version, Ordinal int
	Vector           []byte
}

// fillUp copies rows and objects until there are enough chunks, and returns their
// number.
func (l *library) fillUp(ctx context.Context) (int, error) {
	rows, err := l.rig.Rows.Query(ctx, `SELECT c.source_id, c.version, c.ordinal, v.vector FROM chunks c
JOIN vectors v ON v.workspace_id = c.workspace_id AND v.text_hash = c.text_hash WHERE c.workspace_id = $1`, l.rig.Workspace.ID)
	if err != nil {
		return 0, err
	}
	passages, err := pgx.CollectRows(rows, pgx.RowToStructByPos[passage])
	if err != nil {
		return 0, err
	}
	chunks := len(passages)
	for round := 1; chunks < fullChunks; round++ {
		if err := l.copyRows(ctx, round); err != nil {
			return 0, err
		}
		batches := (len(passages) + copyBatch - 1) / copyBatch
		if _, err := measure.Spread(ctx, copyWriters, batches, func(ctx context.Context, i int) error {
			return l.copyObjects(ctx, passages, i*copyBatch, round)
		}); err != nil {
			return 0, err
		}
		chunks += len(passages)
	}
	_, err = l.rig.Rows.Exec(ctx, "VACUUM ANALYZE sources, source_versions, chunks")
	return chunks, err
}

// copied is the id of a source's copy.
func copied(source string, round int) string { return fmt.Sprintf("%s-%d", source, round) }

// copyRows copies the first sources with all that a search reads of them.
func (l *library) copyRows(ctx context.Context, round int) error {
	return pgx.BeginFunc(ctx, l.rig.Rows, func(tx pgx.Tx) error {
		for _, table := range []struct{ name, id string }{{"sources", "id"}, {"source_versions", "source_id"}, {"chunks", "source_id"}} {
			_, err := tx.Exec(ctx, strings.NewReplacer("<table>", table.name, "<id>", table.id).Replace(`
INSERT INTO <table> SELECT (jsonb_populate_record(t, jsonb_build_object('<id>', t.<id> || $2))).*
FROM <table> t WHERE t.workspace_id = $1 AND strpos(t.<id>, '-') = 0`), l.rig.Workspace.ID, copied("", round))
			if err != nil {
				return fmt.Errorf("copy %s: %w", table.name, err)
			}
		}
		return nil
	})
}

// copyObjects writes the objects of a batch of copies into the index.
func (l *library) copyObjects(ctx context.Context, passages []passage, from, round int) error {
	objects := make([]map[string]any, 0, copyBatch)
	for i := from; i < min(from+copyBatch, len(passages)); i++ {
		own, other := passages[i], passages[(i+round*7919)%len(passages)]
		source := copied(own.SourceID, round)
		objects = append(objects, map[string]any{
			"class": l.collection, "tenant": l.rig.Workspace.ID, "id": uuid.NewString(),
			"vector": corpus.Mixed(corpus.Floats(own.Vector), corpus.Floats(other.Vector), copyShare),
			"properties": map[string]any{
				"item": strconv.Itoa(own.Ordinal), "source": source, "version": fmt.Sprintf("%s/%d", source, own.Version),
			},
		})
	}
	return bare.AddObjects(ctx, l.rig.stack.Env["REDLINE_WEAVIATE_ADDR"], objects)
}
