package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/slots"
)

// named is a model that answers everything with one vector.
type named struct {
	embed.Lexical

	name   string
	vector []float32
	asked  int
	away   bool
}

func (n *named) Identity() embed.Identity {
	return embed.Identity{Provider: "test", Model: n.name, Dimensions: len(n.vector)}
}

func (n *named) Embed(context.Context, []string, embed.Use) ([][]float32, error) {
	n.asked++
	if n.away {
		return nil, errors.New("away")
	}
	return [][]float32{n.vector}, nil
}

func TestModelsAreChosenByIdentityAndProbe(t *testing.T) {
	now := &named{name: "new", vector: []float32{1, 0}}
	before := &named{name: "old", vector: []float32{0, 1}}
	m := embed.NewModels(now, before)
	ctx := context.Background()
	for _, want := range []*named{now, before, now} {
		got, err := m.For(ctx, want.Identity().String(), want.vector)
		require.NoError(t, err)
		require.Equal(t, want.Identity(), got.Identity())
	}
	require.Equal(t, 1, now.asked, "an agreement is remembered")
	_, err := m.For(ctx, "test/other/2/v0", now.vector)
	require.ErrorIs(t, err, embed.ErrModelChanged)
	_, err = m.For(ctx, now.Identity().String(), []float32{0.9, 0.43589})
	require.ErrorIs(t, err, embed.ErrModelChanged, "the same name, another model")
	_, err = embed.NewModels(now, nil).For(ctx, before.Identity().String(), before.vector)
	require.ErrorIs(t, err, embed.ErrModelChanged)
}

func TestModelThatChangedUnderItsNameIsFoundOut(t *testing.T) {
	now := &named{name: "new", vector: []float32{1, 0}}
	m := embed.NewModels(now, nil)
	ctx := context.Background()
	kept, err := m.Probe(ctx)
	require.NoError(t, err)
	_, err = m.For(ctx, now.Identity().String(), kept)
	require.NoError(t, err)
	now.vector = []float32{0, 1}
	_, err = m.Verify(ctx, now.Identity().String(), kept)
	require.ErrorIs(t, err, embed.ErrModelChanged)
	now.away = true
	_, err = m.For(ctx, now.Identity().String(), kept)
	require.Error(t, err)
	require.NotErrorIs(t, err, embed.ErrModelChanged, "a model that is away may be the same")
}

// A question that is asked again is answered even while the model is away, but
// never by the vector of another model.
func TestQuestionIsEmbeddedOnceForAModel(t *testing.T) {
	model := &named{name: "one", vector: []float32{1, 0}}
	m := embed.NewModels(model, nil)
	ctx := context.Background()
	ask := func(text string, use embed.Use, kept []float32) ([][]float32, error) {
		e, err := m.For(ctx, model.Identity().String(), kept)
		require.NoError(t, err)
		return e.Embed(ctx, []string{text}, use)
	}
	first := []float32{1, 0}
	for range 3 {
		vectors, err := ask("Who pays?", embed.Query, first)
		require.NoError(t, err)
		require.Equal(t, [][]float32{first}, vectors)
	}
	require.Equal(t, 2, model.asked, "the probe and the question")
	_, err := ask("Who pays?", embed.Passage, first)
	require.NoError(t, err)
	_, err = ask(strings.Repeat("Who pays? ", 200), embed.Query, first)
	require.NoError(t, err)
	_, err = ask(strings.Repeat("Who pays? ", 200), embed.Query, first)
	require.NoError(t, err)
	require.Equal(t, 5, model.asked, "a passage and a long question are embedded each time")
	for range 2 {
		_, err = ask("Who pays?", embed.Matter, first)
		require.NoError(t, err)
	}
	require.Equal(t, 6, model.asked, "a model may have another vector for each use")

	asked, other := model.asked, "ws_other"
	e, err := m.For(ctx, model.Identity().String(), first)
	require.NoError(t, err)
	_, err = e.Embed(slots.For(ctx, &other), []string{"Who pays?"}, embed.Query)
	require.NoError(t, err)
	require.Equal(t, asked+1, model.asked, "no workspace learns from the time of an answer what another one has asked")

	model.away = true
	_, err = ask("Who pays?", embed.Query, first)
	require.NoError(t, err)
	_, err = ask("Who signs?", embed.Query, first)
	require.Error(t, err)

	model.away, model.vector = false, []float32{0, 1}
	vectors, err := ask("Who pays?", embed.Query, model.vector)
	require.NoError(t, err)
	require.Equal(t, [][]float32{model.vector}, vectors)
}

// What stands behind an address is proved with every question that is asked there, and with
// none that is remembered.
func TestModelBehindAnAddressProvesItself(t *testing.T) {
	var vector atomic.Value
	vector.Store("[1,0]")
	h := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		items := make([]string, len(asked.Input))
		for i := range items {
			items[i] = fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, vector.Load())
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(items, ","))
	})
	m := embed.NewModels(h, nil)
	ask := func(text string) ([][]float32, error) {
		e, err := m.For(t.Context(), h.Identity().String(), []float32{1, 0})
		if err != nil {
			return nil, err
		}
		return e.Embed(t.Context(), []string{text}, embed.Query)
	}
	before, err := ask("Who pays?")
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1, 0}}, before)
	vector.Store("[0,1]")
	known, err := ask("Who pays?")
	require.NoError(t, err)
	require.Equal(t, before, known, "it is of the model that the index is of")
	for range 2 {
		_, err = ask("Who signs?")
		require.ErrorIs(t, err, embed.ErrModelChanged)
	}
	_, err = ask("Who pays?")
	require.ErrorIs(t, err, embed.ErrModelChanged)
	vector.Store("[1,0]")
	_, err = ask("Who signs?")
	require.NoError(t, err, "the former one is back")
}
