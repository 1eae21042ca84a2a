package judgments

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/corpus"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// suggestJudgments are in the index when suggestions are measured.
	suggestJudgments = 100_000
	// seeds are judgments of real text. The others are copies whose vectors lie between
	// those of two seeds.
	seeds = 400
	// Each question is asked suggestRounds times.
	suggestQuestions, suggestRounds = 100, 10
	suggestGoal                     = 150
	// fillBatch is how many are copied at once, fillPause between two looks whether the
	// service has brought them in, fillLimit how long that may take.
	fillBatch, fillPause, fillLimit = 10_000, 500 * time.Millisecond, 4 * time.Hour
	// ownShare is how much of a copy's vector is that of its first seed.
	ownShare = 0.6
)

// seed is a judgment of real text as the rows have it.
type seed struct {
	Key             int64
	Model           string
	Review, Content []byte
}

// filled is a workspace on its way to so many judgments. Of contentEvery of them one has
// content.
type filled struct {
	contentEvery int
	rows         *pgxpool.Pool
	workspace    *client.Workspace
	seeds        []seed
	questions    []string
}

// Suggest measures memory/suggest among 100,000 judgments, without the embedder: the
// service remembers the vectors of questions. The judgments are brought into the index by
// the service itself, from rows and vectors made by SQL.
func Suggest(ctx context.Context, rows *pgxpool.Pool, workspace *client.Workspace) ([]measure.Row, error) {
	f := &filled{rows: rows, workspace: workspace, contentEvery: 1}
	if err := f.fillUp(ctx, suggestJudgments); err != nil {
		return nil, err
	}
	if _, err := measure.Spread(ctx, measure.Callers, len(f.questions), f.ask); err != nil {
		return nil, err
	}
	var found []measure.Row
	for _, callers := range []int{1, measure.Callers} {
		took, err := measure.Spread(ctx, callers, suggestRounds*len(f.questions), f.ask)
		if err != nil {
			return nil, err
		}
		found = append(found, measure.Below(suggestGoal, measure.Row{
			Name: fmt.Sprintf("memory/suggest at 100,000 judgments, callers: %d, p95 without the embedder", callers), Unit: "ms",
			Measured: measure.Percentile(took.Took, 95), What: "the same, p50", Against: took.P50(),
		}))
	}
	return found, nil
}

// fillUp gives the workspace so many judgments and waits until the index has them. What a
// kept workspace has already is not made again.
func (f *filled) fillUp(ctx context.Context, many int) error {
	if err := f.plant(ctx); err != nil {
		return fmt.Errorf("seeds: %w", err)
	}
	var have int
	if err := f.rows.QueryRow(ctx, `SELECT count(*) FROM judgments WHERE workspace_id = $1`, f.workspace.ID).Scan(&have); err != nil {
		return err
	}
	for n := have; n < many; n += fillBatch {
		if err := f.copy(ctx, n, min(fillBatch, many-n)); err != nil {
			return fmt.Errorf("copies: %w", err)
		}
	}
	return f.settle(ctx)
}

// plant records the seeds and waits until their vectors are there.
func (f *filled) plant(ctx context.Context) error {
	passages, err := passages()
	if err != nil {
		return err
	}
	f.questions = passages[2*seeds:][:suggestQuestions]
	if f.seeds, err = f.planted(ctx); err != nil || len(f.seeds) == seeds {
		return err
	}
	for from := 0; from < seeds; from += 100 {
		list := make([]map[string]any, 100)
		for i := range list {
			list[i] = map[string]any{
				"decision": []string{"approve", "reject"}[i%2], "content": passages[from+i], "reasoning": passages[seeds+from+i],
				"organizationId": "acme", "actionUser": map[string]any{"userId": fmt.Sprint("user-", i)},
			}
		}
		if _, err := client.Call[json.RawMessage](ctx, f.workspace.Keyed, "memory/judgments/record", map[string]any{"judgments": list}); err != nil {
			return err
		}
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	f.seeds, err = f.planted(ctx)
	return err
}

// planted are the seeds that have their vectors.
func (f *filled) planted(ctx context.Context) ([]seed, error) {
	rows, err := f.rows.Query(ctx, `SELECT key, model, review, content FROM judgment_vectors WHERE workspace_id = $1 ORDER BY key LIMIT $2`, f.workspace.ID, seeds)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[seed])
}

// passages are sentences of real text.
func passages() ([]string, error) {
	files, err := corpus.Text()
	if err != nil {
		return nil, err
	}
	var found []string
	for paragraph := range strings.SplitSeq(strings.Join(files, "\n\n"), "\n\n") {
		if len(paragraph) > 80 && len(paragraph) < 600 {
			found = append(found, paragraph)
		}
		if len(found) == 2*seeds+suggestQuestions {
			return found, nil
		}
	}
	return nil, errors.New("there is not enough text on this machine")
}

// copy makes count judgments from number n on: each is like a seed, by another reviewer, a
// minute older than the one before, with vectors of its own.
func (f *filled) copy(ctx context.Context, n, count int) error {
	tx, err := f.rows.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	rows, err := tx.Query(ctx, `
INSERT INTO judgments OVERRIDING USER VALUE
SELECT (jsonb_populate_record(j, jsonb_build_object('record_id', 'copy' || n, 'origin_id', 'copy' || n, 'user_id', 'user-' || n % 5000,
       'created_at', j.created_at - n * interval '1 minute'))).*
FROM generate_series($1::int, $2::int) n JOIN judgments j ON j.key = ($3::bigint[])[1 + n % $4] ORDER BY n
RETURNING key`, n, n+count-1, f.keys(), len(f.seeds))
	if err != nil {
		return err
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"judgment_vectors"}, []string{"key", "model", "workspace_id", "revision", "review", "content"},
		pgx.CopyFromSlice(len(keys), func(i int) ([]any, error) {
			one, other := f.seeds[(n+i)%len(f.seeds)], f.seeds[(7*(n+i)/len(f.seeds)+n+i+1)%len(f.seeds)]
			var content []byte
			if (n+i)%f.contentEvery == 0 {
				content = between(one.Content, other.Content)
			}
			return []any{keys[i], one.Model, f.workspace.ID, 1, between(one.Review, other.Review), content}, nil
		}))
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `WITH made AS (INSERT INTO judgment_index (key, workspace_id) SELECT key, $2 FROM unnest($1::bigint[]) key RETURNING key)
INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready)
SELECT 'judgment', workspace_id || '/' || record_id, workspace_id AS workspace, workspace_id, statement_timestamp(), true FROM judgments JOIN unnest($1::bigint[]) key USING (key)`,
		keys, f.workspace.ID); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func (f *filled) keys() []int64 {
	keys := make([]int64, len(f.seeds))
	for i, s := range f.seeds {
		keys[i] = s.Key
	}
	return keys
}

// between is the vector between two, as rows keep it.
func between(one, other []byte) []byte {
	mixed, _ := binary.Append(nil, binary.LittleEndian, corpus.Mixed(corpus.Floats(other), corpus.Floats(one), ownShare))
	return mixed
}

// settle waits until the service has brought everything in.
func (f *filled) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fillLimit)
	defer cancel()
	for pending := 1; pending > 0; {
		if err := f.rows.QueryRow(ctx, `SELECT count(*) FROM judgment_index WHERE workspace_id = $1 AND NOT indexed`, f.workspace.ID).Scan(&pending); err != nil {
			return err
		}
		time.Sleep(fillPause)
	}
	return nil
}

// ask wants any answer: where nothing is about a question the search was the same.
func (f *filled) ask(ctx context.Context, i int) error {
	_, err := client.Call[json.RawMessage](ctx, f.workspace.Keyed, "memory/suggest", map[string]any{
		"query": f.questions[i%len(f.questions)], "organizationId": "acme",
	})
	return err
}
