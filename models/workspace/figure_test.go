package workspace_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/workspace"
)

type tally struct{ Rows int }

// tallies count how often they were asked to count.
type tallies struct {
	*workspace.Figures
	t      *testing.T
	db     *pg.DB
	counts atomic.Int64
	fails  error
}

func newTallies(t *testing.T) *tallies {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	return &tallies{Figures: workspace.NewFigures(db), t: t, db: db}
}

func (f *tallies) ask() (tally, error) {
	return workspace.Figure(f.t.Context(), f.Figures, "rows", time.Hour, func(context.Context) (tally, error) {
		return tally{int(f.counts.Add(1))}, f.fails
	})
}

// due lets the time come at which the figure is counted again.
func (f *tallies) due() {
	_, err := f.db.Pool.Exec(f.t.Context(), `UPDATE figures SET due_at = clock_timestamp()`)
	require.NoError(f.t, err)
}

// shows returns the figure, which must be there.
func (f *tallies) shows() int {
	f.t.Helper()
	found, err := f.ask()
	require.NoError(f.t, err)
	return found.Rows
}

func TestOneOfManyCountsAFigure(t *testing.T) {
	f := newTallies(t)
	for round := int64(1); round <= 3; round++ {
		for _, err := range modelstest.AtOnce(8, func(int) error { _, err := f.ask(); return err }) {
			if !errors.Is(err, workspace.ErrUncounted) {
				require.NoError(t, err)
			}
		}
		require.Equal(t, round, f.counts.Load())
		require.EqualValues(t, round, f.shows(), "all of them show it")
		f.due()
	}
}

// Whoever fails to count it leaves what is there, and nobody tries again at once.
func TestAFigureThatCannotBeCountedStays(t *testing.T) {
	f := newTallies(t)
	require.Equal(t, 1, f.shows())
	f.due()
	f.fails = errors.New("too slow")
	_, err := f.ask()
	require.ErrorIs(t, err, f.fails)
	for range 3 {
		assert.Equal(t, 1, f.shows())
	}
	assert.EqualValues(t, 2, f.counts.Load())
	f.due()
	f.fails = nil
	assert.Equal(t, 3, f.shows())
}

// A process that died while it counted keeps nobody from it for ever.
func TestAFigureWhoseCountWasLostIsCountedAgain(t *testing.T) {
	f := newTallies(t)
	died, die := context.WithCancel(t.Context())
	_, err := workspace.Figure(died, f.Figures, "rows", time.Hour, func(context.Context) (tally, error) {
		die()
		return tally{}, nil
	})
	require.Error(t, err)
	_, err = f.ask()
	require.ErrorIs(t, err, workspace.ErrUncounted)
	f.due()
	require.Equal(t, 1, f.shows())
}
