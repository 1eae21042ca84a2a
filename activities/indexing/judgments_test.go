package indexing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities/indexing"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// desk plays the rows, the generations, the index and the model, and notes what is done.
type desk struct {
	owed []judgment.Owed
	// generations are those of the index; the first one serves.
	generations []knowledge.Generation
	texts       []string
	stored      []int64
	done        []string
	// fails is a text that cannot be embedded, away that the index does not answer, lost a
	// workspace of which it has lost what it had, bare a generation that has nothing yet.
	fails string
	away  bool
	lost  string
	bare  string
	looks int
}

func (d *desk) ClaimOwed(context.Context, string, string, int) ([]judgment.Owed, string, error) {
	owed := d.owed
	d.owed = nil
	return owed, "ws", nil
}

func (d *desk) StoreVectors(_ context.Context, _ string, of []judgment.Owed) error {
	for _, o := range of {
		d.stored = append(d.stored, o.Key)
	}
	return nil
}

func (d *desk) note(what string, of []judgment.Owed) error {
	d.done = append(d.done, fmt.Sprint(what, " ", len(of)))
	return nil
}

func (d *desk) Indexed(_ context.Context, generationID string, of []judgment.Owed) error {
	return d.note("indexed in "+generationID, of)
}

func (d *desk) Forgotten(_ context.Context, of []judgment.Owed) error { return d.note("forgotten", of) }

func (d *desk) Leave(_ context.Context, of []judgment.Owed) error {
	if len(of) == 0 {
		return nil
	}
	return d.note("left", of)
}

func (d *desk) GiveBack(_ context.Context, of []judgment.Owed) error {
	if len(of) == 0 {
		return nil
	}
	return d.note("given back", of)
}

func (d *desk) Serving(context.Context, bool) (*knowledge.Generation, error) {
	if len(d.generations) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	return &d.generations[0], nil
}

func (d *desk) FirstGeneration(_ context.Context, identity string, probe []float32) (*knowledge.Generation, error) {
	d.generations = []knowledge.Generation{{ID: "gen_first", Suffix: "_1", Identity: identity, Probe: probe, Model: identity}}
	return &d.generations[0], nil
}

func (d *desk) Standing(context.Context) ([]knowledge.Generation, error) { return d.generations, nil }
func (*desk) NoteUse(context.Context, string) error                      { return nil }

var errAway = errors.New("away")

func (d *desk) InsertJudgments(_ context.Context, p vector.Partition, judgments []vector.Judgment) error {
	if d.away {
		return errAway
	}
	d.done = append(d.done, fmt.Sprint("inserted ", len(judgments), " of ", p.Workspace, p.Suffix))
	return nil
}

func (d *desk) Holds(_ context.Context, p vector.Partition) (bool, error) {
	d.looks++
	return p.Suffix != d.bare, nil
}

func (d *desk) Delete(_ context.Context, p vector.Partition, _ string) error {
	d.done = append(d.done, "deleted one of "+p.Workspace+p.Suffix)
	return nil
}

func (d *desk) Embed(_ context.Context, texts []string, _ embed.Use) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if d.fails != "" && strings.Contains(text, d.fails) {
			return nil, errAway
		}
		if text != embed.Probe {
			d.texts = append(d.texts, text)
		}
		vectors[i] = []float32{1, 0}
	}
	return vectors, nil
}

func (*desk) Identity() embed.Identity {
	return embed.Identity{Provider: "desk", Model: "m", Dimensions: 2}
}
func (*desk) Limit() int             { return 0 }
func (*desk) Length(text string) int { return len(text) }

// says is a judgment that is owed to the index.
func says(key int64, reasoning, content string) judgment.Owed {
	return judgment.Owed{
		Ref:  judgment.Ref{WorkspaceID: "ws", Key: key, Revision: 1},
		Text: &judgment.Text{Decision: "approve", Reasoning: reasoning, Content: content},
	}
}

// round works on what is owed.
func (d *desk) round(t *testing.T, owed ...judgment.Owed) error {
	t.Helper()
	d.owed = owed
	more, err := d.worker().Round(t.Context())
	require.False(t, more)
	return err
}

func (d *desk) worker() *indexing.Judgments {
	lost := func(_ context.Context, p vector.Partition) error {
		if p.Workspace == d.lost {
			return fault.Unavailable(vector.ErrLost)
		}
		return nil
	}
	return &indexing.Judgments{Rows: d, Generations: d, Index: d, Models: embed.NewModels(d, nil), Lost: lost}
}

func TestATextThatSeveralHaveIsEmbeddedOnce(t *testing.T) {
	d := &desk{}
	long := strings.Repeat("é", 400)
	require.NoError(t, d.round(t, says(1, "Fine.", "The text."), says(2, "Fine.", "The text."), says(3, " ", long), says(4, "", "")))
	require.Equal(t, []string{"approve\nFine.", "The text.", "approve\n" + long[:600], long, "approve\n"}, d.texts, "content stands for a reasoning that is empty")
	require.Equal(t, []int64{1, 2, 3, 4}, d.stored)
	require.Equal(t, []string{"inserted 4 of ws_1", "indexed in gen_first 4"}, d.done)
}

// What an earlier try has embedded is not embedded again, and what it may have written
// is written anew.
func TestATryThatFailsKeepsWhatItHasMade(t *testing.T) {
	d := &desk{fails: "Bad."}
	var owed []judgment.Owed
	for key := range int64(9) {
		owed = append(owed, says(key, fmt.Sprint("Fine ", key, "."), ""))
	}
	require.ErrorIs(t, d.round(t, append(owed, says(9, "Bad.", ""))...), errAway)
	require.Equal(t, []int64{0, 1, 2, 3, 4, 5, 6, 7}, d.stored)
	require.Equal(t, []string{"given back 10"}, d.done)

	d = &desk{}
	again := says(1, "Fine.", "")
	again.Again, again.Vectors = true, &judgment.Vectors{Review: []float32{1, 0}}
	require.NoError(t, d.round(t, again))
	require.Empty(t, d.texts)
	require.Equal(t, []string{"deleted one of ws_1", "inserted 1 of ws_1", "indexed in gen_first 1"}, d.done)

	d = &desk{away: true}
	require.ErrorIs(t, d.round(t, says(1, "Fine.", "")), errAway)
	require.Equal(t, []string{"given back 1"}, d.done)
}

func TestWhatIsGoneLeavesEveryGeneration(t *testing.T) {
	d := &desk{generations: []knowledge.Generation{{ID: "a", Suffix: "_a"}, {ID: "b", Suffix: "_b"}}}
	require.NoError(t, d.round(t, judgment.Owed{Ref: judgment.Ref{WorkspaceID: "ws", Key: 1, Revision: 2}}))
	require.Equal(t, []string{"deleted one of ws_a", "deleted one of ws_b", "forgotten 1"}, d.done)
}

// The index takes long to say that a collection is absent, so it is not asked to remove each
// judgment from a generation that has none of the workspace.
func TestWhatIsGoneIsNotSoughtWhereNothingIs(t *testing.T) {
	d := &desk{bare: "_b", generations: []knowledge.Generation{{ID: "a", Suffix: "_a"}, {ID: "b", Suffix: "_b"}}}
	gone := func(key int64) judgment.Owed {
		return judgment.Owed{Ref: judgment.Ref{WorkspaceID: "ws", Key: key, Revision: 2}}
	}
	require.NoError(t, d.round(t, gone(1), gone(2), gone(3)))
	require.Equal(t, []string{"deleted one of ws_a", "deleted one of ws_a", "deleted one of ws_a", "forgotten 3"}, d.done)
	require.Equal(t, 2, d.looks, "once for the workspace in each generation")
}

// What a workspace brings while its place in the index is lost waits, and nobody waits with
// it.
func TestNothingIsWrittenWhereAPlaceIsLost(t *testing.T) {
	d := &desk{lost: "ws"}
	other := says(3, "Fine.", "")
	other.WorkspaceID = "ws_other"
	require.NoError(t, d.round(t, says(1, "Good.", ""), says(2, "Good.", ""), other))
	require.Equal(t, []string{"given back 2", "inserted 1 of ws_other_1", "indexed in gen_first 1"}, d.done)
	require.Equal(t, []int64{3}, d.stored)
}

// Who records long contents takes one turn of a round as everybody does, and what has
// vectors already takes no room.
func TestLongContentsDoNotKeepOthersWaiting(t *testing.T) {
	long := strings.Repeat("clause ", 4000)
	d := &desk{}
	of := func(workspaceID string, key int64, content string) judgment.Owed {
		o := says(key, fmt.Sprint("Fine ", key, "."), content)
		o.WorkspaceID = workspaceID
		return o
	}
	var owed []judgment.Owed
	for key := range int64(8) {
		owed = append(owed, of("ws_long", key, fmt.Sprint(key, long)))
	}
	embedded := of("ws_long", 8, long)
	embedded.Vectors = &judgment.Vectors{Review: []float32{1, 0}}
	owed = append(owed, embedded, of("ws_other", 9, ""), of("ws_other", 10, ""))
	work := d.worker()
	d.owed = owed
	more, err := work.Round(t.Context())
	require.NoError(t, err)
	require.True(t, more)
	require.ElementsMatch(t, []int64{0, 9, 1, 10}, d.stored)
	require.Equal(t, "left 7", d.done[0])

	d = &desk{}
	work = d.worker()
	d.owed = []judgment.Owed{of("ws_b", 1, long), of("ws_d", 2, long), of("ws_c", 3, long), of("ws_a", 4, "")}
	_, err = work.Round(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int64{4, 1, 3}, d.stored, "the first ones of their workspaces")
	d.owed = []judgment.Owed{of("ws_a", 5, long), of("ws_d", 2, long), of("ws_a", 6, long)}
	_, err = work.Round(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int64{4, 1, 3, 2, 5}, d.stored, "who had no turn has the next one")
}
