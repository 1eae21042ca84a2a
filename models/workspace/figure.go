package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Figures keeps what all processes show and one of them counts. Its statements are
// SQL by hand: they compare and set by the clock of Postgres.
type Figures struct{ db *pg.DB }

// NewFigures makes the store.
func NewFigures(db *pg.DB) *Figures { return &Figures{db: db} }

const (
	// countLimit bounds one count.
	countLimit = 5 * time.Second
	// countLost is when a figure is counted again whose counting process died.
	countLost = 5 * time.Minute
	// countRest is for how many times as long as a count took nobody makes it again,
	// so that it takes half a percent of one core at most, whatever there is to be
	// counted.
	countRest = 200
)

// ErrUncounted says that a figure is being counted for the first time, by another
// process.
var ErrUncounted = errors.New("nobody has counted this yet")

// Figure returns the figure of a name as it was last counted, by whichever process.
// When it is due this one counts it, unless another one does: every so often, and
// the more seldom the longer it takes. T is a type that JSON carries. Errors:
// ErrUncounted, and those of count, after which the figure stays as it was.
func Figure[T any](ctx context.Context, f *Figures, name string, every time.Duration, count func(context.Context) (T, error)) (T, error) {
	var found T
	text, due, err := f.read(ctx, name)
	if err != nil {
		return found, err
	}
	if due {
		mine, err := f.claim(ctx, name)
		if err != nil {
			return found, err
		}
		if mine {
			return countFigure(ctx, f, name, every, count)
		}
	}
	if text == nil {
		return found, ErrUncounted
	}
	return found, json.Unmarshal(text, &found)
}

const (
	readFigure = `SELECT found, due_at <= clock_timestamp() FROM figures WHERE name = $1`
	// claimFigure makes one process the one that counts.
	claimFigure = `
INSERT INTO figures (name, due_at) VALUES ($1, clock_timestamp() + $2::interval)
ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at WHERE figures.due_at <= clock_timestamp()`
	keepFigure = `UPDATE figures SET due_at = clock_timestamp() + $2::interval, found = coalesce($3, found) WHERE name = $1`
)

// read returns what was last counted, nil for nothing yet, and whether it is due.
func (f *Figures) read(ctx context.Context, name string) (text []byte, due bool, err error) {
	err = f.db.Pool.QueryRow(ctx, readFigure, name).Scan(&text, &due)
	if pg.IsNoRow(err) {
		return nil, true, nil
	}
	return text, due, pg.Translate(err)
}

func (f *Figures) claim(ctx context.Context, name string) (mine bool, err error) {
	tag, err := f.db.Pool.Exec(ctx, claimFigure, name, countLost)
	return tag.RowsAffected() == 1, pg.Translate(err)
}

// countFigure counts a figure that this process has claimed, and keeps it. A count
// that failed is made again no sooner than one that succeeded.
func countFigure[T any](ctx context.Context, f *Figures, name string, every time.Duration, count func(context.Context) (T, error)) (T, error) {
	began := time.Now()
	own, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	found, failed := count(own)
	next := max(every, countRest*time.Since(began))
	var text []byte // nil keeps what is there
	if failed == nil {
		text, failed = json.Marshal(found)
	}
	_, err := f.db.Pool.Exec(ctx, keepFigure, name, next, text)
	return found, errors.Join(failed, pg.Translate(err))
}
