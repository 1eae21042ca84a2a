package corpus

import (
	"context"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// kept is a vector as it stands in the rows.
type kept struct {
	Model        string
	Hash, Vector []byte
}

func keptFile() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "redline", "bench-vectors.gob"), err
}

// Preload puts the vectors of a former run into the rows of a workspace, so that its
// texts need no model; without a former run it does nothing.
func Preload(ctx context.Context, pool *pgxpool.Pool, workspaceID string) error {
	name, err := keptFile()
	if err != nil {
		return err
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var all []kept
	if err := gob.NewDecoder(file).Decode(&all); err != nil {
		return err
	}
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"vectors"}, []string{"workspace_id", "model", "text_hash", "vector"},
		pgx.CopyFromSlice(len(all), func(i int) ([]any, error) {
			return []any{workspaceID, all[i].Model, all[i].Hash, all[i].Vector}, nil
		}))
	return err
}

// Keep writes the vectors of a workspace down for the next run.
func Keep(ctx context.Context, pool *pgxpool.Pool, workspaceID string) error {
	rows, err := pool.Query(ctx, `SELECT model, text_hash, vector FROM vectors WHERE workspace_id = $1`, workspaceID)
	if err != nil {
		return err
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[kept])
	if err != nil {
		return err
	}
	name, err := keptFile()
	if err != nil {
		return err
	}
	file, err := os.Create(name + ".partial")
	if err != nil {
		return err
	}
	if err := errors.Join(gob.NewEncoder(file).Encode(all), file.Close()); err != nil {
		return err
	}
	return os.Rename(name+".partial", name)
}
