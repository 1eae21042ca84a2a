package indexing_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities/indexing"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/vector"
)

// site plays the rows, the generations, the index and the model, and notes what is done.
type site struct {
	pending map[int]judgment.Pending
	// generations are those of the index; the first one serves.
	generations []knowledge.Generation
	texts       []string
	stored      []int64
	done        []string
	// fails is a text that cannot be embedded, refused one that the model takes from nobody, away that the index does not answer, lost a
	// workspace of which it has lost what it had, bare a generation that has nothing yet.
	fails   string
	refused string
	away    bool
	lost    string
	bare    string
	looks   int
}

func (d *site) ReadPending(context.Context, string, []queue.Claimed) (map[int]judgment.Pending, error) {
	return d.pending, nil
}

func (d *site) StoreVectors(_ context.Context, _ string, of []judgment.Pending) error {
	for _, o := range of {
		d.stored = append(d.stored, o.Key)
	}
	return nil
}

func (d *site) note(what string, of []judgment.Pending) error {
	d.done = append(d.done, fmt.Sprint(what, " ", len(of)))
	return nil
}

func (d *site) Indexed(_ context.Context, generationID string, of []judgment.Pending) error {
	return d.note("indexed in "+generationID, of)
}

func (d *site) Forget(_ context.Context, gone []judgment.Ref) error {
	d.done = append(d.done, fmt.Sprint("forgotten ", len(gone)))
	return nil
}

func (d *site) Serving(context.Context, bool) (*knowledge.Generation, error) {
	if len(d.generations) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	return &d.generations[0], nil
}

func (d *site) FirstGeneration(_ context.Context, identity string, probe []float32) (*knowledge.Generation, error) {
	d.generations = []knowledge.Generation{{ID: "gen_first", Suffix: "_1", Identity: identity, Probe: probe, Model: identity}}
	return &d.generations[0], nil
}

func (d *site) Standing(context.Context) ([]knowledge.Generation, error) { return d.generations, nil }
func (*site) NoteUse(context.Context, string) error                      { return nil }

var errAway = errors.New("away")

func (d *site) InsertJudgments(_ context.Context, p vector.Partition, judgments []vector.Judgment) error {
	if d.away {
		return errAway
	}
	d.done = append(d.done, fmt.Sprint("inserted ", len(judgments), " of ", p.Workspace, p.Suffix))
	return nil
}

func (d *site) Holds(_ context.Context, p vector.Partition) (bool, error) {
	d.looks++
	return p.Suffix != d.bare, nil
}

func (d *site) DeleteAll(_ context.Context, p vector.Partition, ids []string) error {
	d.done = append(d.done, fmt.Sprint("deleted ", len(ids), " of ", p.Workspace, p.Suffix))
	return nil
}

func (d *site) Embed(_ context.Context, texts []string, _ embed.Use) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if d.fails != "" && strings.Contains(text, d.fails) {
			return nil, errAway
		}
		if d.refused != "" && strings.Contains(text, d.refused) {
			return nil, embed.ErrVector
		}
		if text != embed.Probe {
			d.texts = append(d.texts, text)
		}
		vectors[i] = []float32{1, 0}
	}
	return vectors, nil
}

func (*site) Identity() embed.Identity {
	return embed.Identity{Provider: "site", Model: "m", Dimensions: 2}
}
func (*site) Limit() int             { return 0 }
func (*site) Length(text string) int { return len(text) }

// says is a judgment that is to be brought in.
func says(key int64, reasoning, content string) judgment.Pending {
	return judgment.Pending{
		Ref:  judgment.Ref{WorkspaceID: "ws", Key: key, Revision: 1},
		Text: judgment.Text{Decision: "approve", Reasoning: reasoning, Content: content},
	}
}

// round works on judgments as they were claimed for the first time, and returns how many ended in which way.
func (d *site) round(t *testing.T, pending ...judgment.Pending) (finished, failed, left int, err error) {
	t.Helper()
	outcomes, err := d.bringIn(t, 1, pending...)
	for _, outcome := range outcomes {
		switch outcome {
		case queue.Finished:
			finished++
		case queue.Failed:
			failed++
		default:
			left++
		}
	}
	return finished, failed, left, err
}

func (d *site) bringIn(t *testing.T, attempts int, pending ...judgment.Pending) ([]queue.Outcome, error) {
	t.Helper()
	d.pending = map[int]judgment.Pending{}
	claimed := make([]queue.Claimed, len(pending))
	for i, p := range pending {
		d.pending[i] = p
		claimed[i] = queue.Claimed{WorkspaceID: p.WorkspaceID, Key: strconv.FormatInt(p.Key, 10), Attempts: attempts}
	}
	return d.worker().BringIn(t.Context(), claimed)
}

// takeOut removes judgments of a workspace by their keys.
func (d *site) takeOut(t *testing.T, keys ...string) {
	t.Helper()
	var claimed []queue.Claimed
	for _, key := range keys {
		claimed = append(claimed, queue.Claimed{WorkspaceID: "ws", Key: key})
	}
	outcomes, err := d.worker().TakeOut(t.Context(), claimed)
	require.NoError(t, err)
	require.Len(t, outcomes, len(keys))
}

func (d *site) worker() *indexing.Judgments {
	lost := func(_ context.Context, p vector.Partition) error {
		if p.Workspace == d.lost {
			return fault.Unavailable(vector.ErrLost)
		}
		return nil
	}
	return &indexing.Judgments{Rows: d, Generations: d, Index: d, Models: embed.NewModels(d, nil), Lost: lost}
}

func TestATextThatSeveralHaveIsEmbeddedOnce(t *testing.T) {
	d := &site{}
	long := strings.Repeat("é", 400)
	finished, _, _, err := d.round(t, says(1, "Fine.", "The text."), says(2, "Fine.", "The text."), says(3, " ", long), says(4, "", ""))
	require.NoError(t, err)
	require.Equal(t, 4, finished)
	require.Equal(t, []string{"approve\nFine.", "The text.", "approve\n" + long[:600], long, "approve\n"}, d.texts, "content stands for a reasoning that is empty")
	require.Equal(t, []int64{1, 2, 3, 4}, d.stored)
	require.Equal(t, []string{"inserted 4 of ws_1", "indexed in gen_first 4"}, d.done)
}

// What an earlier try has embedded is not embedded again, and what it may have written
// is written once more.
func TestATryThatFailsKeepsWhatItHasMade(t *testing.T) {
	d := &site{fails: "Bad."}
	var pending []judgment.Pending
	for key := range int64(9) {
		pending = append(pending, says(key, fmt.Sprint("Fine ", key, "."), ""))
	}
	_, _, _, err := d.round(t, append(pending, says(9, "Bad.", ""))...) //nolint:dogsled // only whether it fails
	require.ErrorIs(t, err, errAway)
	require.Equal(t, []int64{0, 1, 2, 3, 4, 5, 6, 7}, d.stored)
	require.Empty(t, d.done)

	d = &site{}
	again := says(1, "Fine.", "")
	again.Vectors = &judgment.Vectors{Review: []float32{1, 0}}
	_, err = d.bringIn(t, 2, again)
	require.NoError(t, err)
	require.Empty(t, d.texts)
	require.Equal(t, []string{"deleted 1 of ws_1", "inserted 1 of ws_1", "indexed in gen_first 1"}, d.done)

	d = &site{away: true}
	_, _, _, err = d.round(t, says(1, "Fine.", "")) //nolint:dogsled // only whether it fails
	require.ErrorIs(t, err, errAway)
	require.Empty(t, d.done)
}

func TestWhatIsGoneLeavesEveryGeneration(t *testing.T) {
	d := &site{generations: []knowledge.Generation{{ID: "a", Suffix: "_a"}, {ID: "b", Suffix: "_b"}}}
	d.takeOut(t, "1")
	require.Equal(t, []string{"deleted 1 of ws_a", "deleted 1 of ws_b", "forgotten 1"}, d.done)
}

// The index takes long to say that a collection is absent, so it is not asked to remove each
// judgment from a generation that has none of the workspace.
func TestWhatIsGoneIsNotSoughtWhereNothingIs(t *testing.T) {
	d := &site{bare: "_b", generations: []knowledge.Generation{{ID: "a", Suffix: "_a"}, {ID: "b", Suffix: "_b"}}}
	d.takeOut(t, "1", "2", "3")
	require.Equal(t, []string{"deleted 3 of ws_a", "forgotten 3"}, d.done)
	require.Equal(t, 2, d.looks, "once for the workspace in each generation")
}

// What a workspace brings while its place in the index is lost waits, and nobody waits with
// it.
func TestNothingIsWrittenWhereAPlaceIsLost(t *testing.T) {
	d := &site{lost: "ws"}
	other := says(3, "Fine.", "")
	other.WorkspaceID = "ws_other"
	finished, failed, _, err := d.round(t, says(1, "Good.", ""), says(2, "Good.", ""), other)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, []int{finished, failed})
	require.Equal(t, []string{"inserted 1 of ws_other_1", "indexed in gen_first 1"}, d.done)
	require.Equal(t, []int64{3}, d.stored)
}

// A text that the model refuses fails by itself, whoever has brought it; it is told from a model that is away.
func TestATextThatTheModelRefusesHoldsBackNobody(t *testing.T) {
	d := &site{refused: "Bad."}
	other := says(3, "Fine.", "")
	other.WorkspaceID = "ws_other"
	outcomes, err := d.bringIn(t, 1, says(1, "Bad.", ""), says(2, "Good.", ""), other)
	require.NoError(t, err)
	require.Equal(t, []queue.Outcome{queue.Failed, queue.Finished, queue.Finished}, outcomes)
	require.ElementsMatch(t, []int64{2, 3}, d.stored)
	require.ElementsMatch(t, []string{"inserted 1 of ws_1", "inserted 1 of ws_other_1", "indexed in gen_first 2"}, d.done)

	d = &site{refused: "Bad.", fails: "Good."}
	_, _, _, err = d.round(t, says(1, "Bad.", ""), says(2, "Good.", "")) //nolint:dogsled // only whether it fails
	require.ErrorIs(t, err, errAway)
}

// So much text is brought in at once as takes a second, what has vectors already takes no room, and
// what was claimed and is not to be brought in is finished.
func TestLongContentsDoNotKeepOthersWaiting(t *testing.T) {
	long := strings.Repeat("clause ", 4000)
	d := &site{}
	embedded := says(3, "", long)
	embedded.Vectors = &judgment.Vectors{Review: []float32{1, 0}}
	var pending []judgment.Pending
	for key, content := range []string{long, "", long, "", long, ""} {
		pending = append(pending, says(int64(key+4), fmt.Sprint("Fine ", key, "."), content))
	}
	finished, failed, left, err := d.round(t, append([]judgment.Pending{embedded}, pending...)...)
	require.NoError(t, err)
	require.Equal(t, []int{5, 0, 2}, []int{finished, failed, left})
	require.ElementsMatch(t, []int64{4, 5, 6, 7}, d.stored)

	finished, _, _, err = d.round(t, says(1, "", strings.Repeat(long, 9)))
	require.NoError(t, err)
	require.Equal(t, 1, finished, "the first one, whatever its size")

	d = &site{}
	outcomes, err := d.worker().BringIn(t.Context(), []queue.Claimed{{WorkspaceID: "ws", Key: "ws/gone"}})
	require.NoError(t, err)
	require.Equal(t, []queue.Outcome{queue.Finished}, outcomes)
}
