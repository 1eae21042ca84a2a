package knowledge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
)

var errAway = errors.New("no process can be had")

// away has no process.
type away struct{}

func (away) Run(context.Context, string, []byte, any) error { return errAway }

// A small text needs no process of its own, a larger one is drawn from nowhere else.
func TestOnlySmallTextsAreDrawnFromHere(t *testing.T) {
	t.Parallel()
	d := knowledge.Drawing{Runner: away{}}
	drawn, err := d.All(t.Context(), "Papers must be signed.")
	require.NoError(t, err)
	require.Len(t, drawn.Rules, 1)
	require.Len(t, drawn.Chunks, 1)
	large := strings.Repeat("Papers must be signed. ", 200)
	_, err = d.All(t.Context(), large)
	require.ErrorIs(t, err, errAway)
	_, err = d.Chunks(t.Context(), []byte(large))
	require.ErrorIs(t, err, errAway)
	_, err = d.Rules(t.Context(), []byte(large))
	require.ErrorIs(t, err, errAway)
}
