package holdings

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Service is the service that is measured.
type Service struct {
	// URL is the address of its interface, Rows and Env are its rows and variables.
	URL  string
	Rows *pgxpool.Pool
	Env  map[string]string
	// Run runs a command of the program.
	Run func(ctx context.Context, args ...string) (string, error)
}

const (
	dimensions = 384
	// centres are what vectors lie around, noise is how much each has of its own.
	centres, noise = 200, 0.5
	// statusPause is between two looks whether something is there, or gone.
	statusPause = 100 * time.Millisecond
	// settleLimit is how long the index may take for all.
	settleLimit = 90 * time.Minute
	// small is what is brought in over the interface, so that there is an index.
	small = "# Mill\n\nThe wheel must be oiled every day.\n\n# Gate\n\nThe gate is closed at night.\n"
)

// workspace makes one that holds a small source.
func (s *Service) workspace(ctx context.Context, name string) (*client.Workspace, error) {
	w, err := client.CreateWorkspace(ctx, s.URL, measure.Unique(name)+"@bench.example.com")
	if err != nil {
		return nil, err
	}
	_, err = bringIn(ctx, w, small)
	return w, err
}

// bringIn brings a text in over the interface, and returns its source when that is complete.
func bringIn(ctx context.Context, w *client.Workspace, text string) (string, error) {
	accepted, err := client.Call[redline.IngestResult](ctx, w.Keyed, "memory/knowledge/ingest", map[string]any{
		"source": "inline", "file": map[string]any{
			"base64": base64.StdEncoding.EncodeToString([]byte(text)), "mimeType": "text/plain", "fileName": "small.txt", "fileSize": len(text),
		},
	})
	if err != nil {
		return "", err
	}
	return accepted.SourceID, measure.Every(ctx, statusPause, func() (bool, error) {
		found, err := client.Call[redline.IngestStatus](ctx, w.Keyed, "memory/knowledge/ingest-status", map[string]any{"sourceId": accepted.SourceID})
		return found.Status == "completed", err
	})
}

// addSource and addVersion make a source whose version waits to be embedded.
const (
	addSource  = `INSERT INTO sources (workspace_id, id, source_type, created_at, newest) VALUES ($1, $2, 'inline', clock_timestamp(), 1)`
	addVersion = `
WITH queued AS (
    INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready) VALUES ('version', $2::text || '/1', $1, $1, clock_timestamp(), true))
INSERT INTO source_versions (workspace_id, source_id, version, state, stage, done, file_name, mime_type, file_size,
       sha256, original_key, chunk_count, started_at, updated_at)
SELECT $1::text, $2::text, 1, 'staging', 'embedding', 3, 'held.txt', 'text/plain', 1, sha256($2::text::bytea), 'sources/' || $1::text || '/' || $2::text, $3, moment, clock_timestamp()
FROM clock_timestamp() moment`
)

// plant makes a source of so many chunks, with their vectors.
func (s *Service) plant(ctx context.Context, workspaceID string, chunks int) (source string, err error) {
	source = measure.Unique("src_held")
	var model string
	if err := s.Rows.QueryRow(ctx, `SELECT model FROM index_generations WHERE state = 'serving'`).Scan(&model); err != nil {
		return "", err
	}
	return source, pgx.BeginFunc(ctx, s.Rows, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, addSource, workspaceID, source); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, addVersion, workspaceID, source, chunks); err != nil {
			return err
		}
		hash := func(i int) []byte {
			sum := sha256.Sum256(fmt.Append(nil, source, i))
			return sum[:]
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"chunks"}, []string{"workspace_id", "source_id", "version", "ordinal", "path", "content", "tokens", "text_hash"},
			pgx.CopyFromSlice(chunks, func(i int) ([]any, error) {
				text := fmt.Sprintf("Passage %d says how part %d of the mill is oiled and who may open the gate in week %d.", i, i%977, i%52)
				return []any{workspaceID, source, 1, i, fmt.Sprint("Part ", i%100), text, 20, hash(i)}, nil
			}))
		if err != nil {
			return fmt.Errorf("chunks: %w", err)
		}
		vectors := newVectors(source)
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"vectors"}, []string{"workspace_id", "model", "text_hash", "vector"},
			pgx.CopyFromSlice(chunks, func(i int) ([]any, error) { return []any{workspaceID, model, hash(i), vectors.next()}, nil }))
		return err
	})
}

// vectors are unit vectors around some centres, which are the same for all.
type vectors struct {
	random  *rand.Rand
	centres [][]float32
}

func newVectors(seed string) *vectors {
	sum := sha256.Sum256([]byte(seed))
	v := &vectors{random: rand.New(rand.NewPCG(1, 1))}
	for range centres {
		v.centres = append(v.centres, v.draw())
	}
	v.random = rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 1))
	return v
}

// draw returns one of any direction.
func (v *vectors) draw() []float32 {
	one := make([]float32, dimensions)
	for i := range one {
		one[i] = float32(v.random.NormFloat64())
	}
	return corpus.Mixed(one, one, 0)
}

// next returns one as it stands in rows.
func (v *vectors) next() []byte {
	one := corpus.Mixed(v.centres[v.random.IntN(centres)], v.draw(), noise)
	raw := make([]byte, 0, 4*dimensions)
	for _, number := range one {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(number))
	}
	return raw
}

// settle waits until the index has everything, and says now and then how far it is.
func (s *Service) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	began, logged := time.Now(), time.Now()
	return measure.Every(ctx, statusPause, func() (bool, error) {
		var left int
		err := s.Rows.QueryRow(ctx, `SELECT count(*) FROM source_versions WHERE state IN ('accepted', 'staging')`).Scan(&left)
		if time.Since(logged) > time.Minute {
			logged = time.Now()
			fmt.Fprintf(os.Stderr, "  %d sources are left after %.0f s\n", left, time.Since(began).Seconds())
		}
		return left == 0, err
	})
}

// answer is that of a search by meaning.
type answer struct {
	Results []struct{ Score *float64 }
}

// search asks a question, of which there are few, so that the service remembers their
// vectors; an error where the index did not answer it.
func search(ctx context.Context, w *client.Workspace, i int) (int, error) {
	found, err := client.Call[answer](ctx, w.Keyed, "memory/knowledge/search",
		map[string]any{"query": fmt.Sprintf("Who opens the gate in week %d?", i%20), "limit": 10})
	for _, hit := range found.Results {
		if hit.Score == nil {
			return 0, errors.New("a search fell back")
		}
	}
	return len(found.Results), err
}
