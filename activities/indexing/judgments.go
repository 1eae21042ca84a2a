package indexing

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/embed"
	words "github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// storedAtOnce is of how many judgments the vectors are stored together: even eight
	// contents of the greatest length take the model a few seconds.
	storedAtOnce = 8
	// batchLimit bounds the work on a batch: its lock lasts longer, so nobody else has it.
	batchLimit = 30 * time.Second
	// contentTokens is how much of the content is embedded.
	contentTokens = 4000
)

// JudgmentRows is what is needed of the rows of judgments (*judgment.Judgments).
type JudgmentRows interface {
	// ReadPending reads what is to be brought in, by its place among what was claimed.
	ReadPending(ctx context.Context, model string, claimed []queue.Claimed) (map[int]judgment.Pending, error)
	StoreVectors(ctx context.Context, model string, of []judgment.Pending) error
	Indexed(ctx context.Context, generationID string, of []judgment.Pending) error
	Forget(ctx context.Context, gone []judgment.Ref) error
}

// Generations are those of the index (*knowledge.Knowledge).
type Generations interface {
	Serving(ctx context.Context, fresh bool) (*knowledge.Generation, error)
	FirstGeneration(ctx context.Context, identity string, probe []float32) (*knowledge.Generation, error)
	// Standing are those that may hold objects.
	Standing(ctx context.Context) ([]knowledge.Generation, error)
	// NoteUse notes that the index is given something of a workspace.
	NoteUse(ctx context.Context, workspaceID string) error
}

// JudgmentIndex is the index that judgments are brought into (*vector.Index).
type JudgmentIndex interface {
	InsertJudgments(ctx context.Context, p vector.Partition, judgments []vector.Judgment) error
	DeleteAll(ctx context.Context, p vector.Partition, ids []string) error
	// Holds reports whether there may be something to delete.
	Holds(ctx context.Context, p vector.Partition) (bool, error)
}

// Judgments brings judgments into the index, and removes those that are gone. The queue says
// which, so it may end at any moment and be run by several processes at once.
type Judgments struct {
	Rows        JudgmentRows
	Generations Generations
	Index       JudgmentIndex
	Models      *embed.Models
	// Lost returns an error where the index has lost what it had of a workspace: nothing is
	// written there.
	Lost func(ctx context.Context, p vector.Partition) error
}

// BringIn works on judgments that were claimed, as many as it takes a second to embed, and returns
// what became of each. An error leaves what could not be done for a later try.
func (j *Judgments) BringIn(ctx context.Context, claimed []queue.Claimed) ([]queue.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, batchLimit)
	defer cancel()
	g, err := j.generation(ctx)
	if err != nil {
		return nil, err
	}
	pending, err := j.Rows.ReadPending(ctx, g.Model, claimed)
	if err != nil {
		return nil, err
	}
	outcomes := make([]queue.Outcome, len(claimed))
	n := portion(pending, len(claimed))
	var there []judgment.Pending
	again := map[int64]bool{} // those of which the index may have some
	for i, c := range claimed[:n] {
		outcomes[i] = queue.Finished
		if p, found := pending[i]; found {
			there, again[p.Key] = append(there, p), c.Attempts > 1 || p.Revision > 1
		}
	}
	failed, err := j.bringIn(ctx, *g, there, again)
	for i := range claimed[:n] {
		if failed[pending[i].Key] {
			outcomes[i] = queue.Failed
		}
	}
	return outcomes, err
}

// TakeOut removes judgments that were removed out of every generation that may hold them.
func (j *Judgments) TakeOut(ctx context.Context, claimed []queue.Claimed) ([]queue.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, batchLimit)
	defer cancel()
	standing, err := j.Generations.Standing(ctx)
	if err != nil {
		return nil, err
	}
	gone := judgment.Gone(claimed)
	for _, g := range standing {
		if err := j.Remove(ctx, g, gone); err != nil {
			return nil, err
		}
	}
	return slices.Repeat([]queue.Outcome{queue.Finished}, len(claimed)), j.Rows.Forget(ctx, gone)
}

// generation is the one that serves. The first judgment, or version of a source, begins
// it.
func (j *Judgments) generation(ctx context.Context) (*knowledge.Generation, error) {
	g, err := j.Generations.Serving(ctx, true)
	if err != nil || g != nil {
		return g, err
	}
	probe, err := j.Models.Probe(ctx)
	if err != nil {
		return nil, err
	}
	return j.Generations.FirstGeneration(ctx, j.Models.Current().Identity().String(), probe)
}

// Remove takes judgments out of a generation, those of a workspace together. One that is being
// built may have no judgments of anybody yet: to ask once for each workspace keeps others from
// waiting for the answers that nothing is there.
func (j *Judgments) Remove(ctx context.Context, g knowledge.Generation, of []judgment.Ref) error {
	ids := map[string][]string{}
	for _, o := range of {
		ids[o.WorkspaceID] = append(ids[o.WorkspaceID], judgmentsOf(g, o.WorkspaceID).JudgmentID(o.Key))
	}
	for _, workspaceID := range slices.Sorted(maps.Keys(ids)) {
		p := judgmentsOf(g, workspaceID)
		there, err := j.Index.Holds(ctx, p)
		if err == nil && there {
			err = j.Index.DeleteAll(ctx, p, ids[workspaceID])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func judgmentsOf(g knowledge.Generation, workspaceID string) vector.Partition {
	return vector.Partition{Suffix: g.Suffix, Workspace: workspaceID, Corpus: vector.Judgments}
}

// bringIn brings judgments in, except those that fail by themselves, whose keys it returns: the model refuses their text, or the
// place of their workspace in the index is lost. The latter wait until an operator has had the index mended: written now, they
// would be found and hide that those before them are not.
func (j *Judgments) bringIn(ctx context.Context, g knowledge.Generation, of []judgment.Pending, again map[int64]bool) (failed map[int64]bool, err error) {
	lost, err := j.lost(ctx, g, of)
	if err != nil {
		return nil, err
	}
	failed = map[int64]bool{}
	for _, p := range of {
		failed[p.Key] = lost[p.WorkspaceID]
	}
	fails := func(p judgment.Pending) bool { return failed[p.Key] }
	if of = slices.DeleteFunc(of, fails); len(of) == 0 {
		return failed, nil
	}
	model, err := j.Models.Verify(ctx, g.Identity, g.Probe)
	if err != nil {
		return failed, err
	}
	if err := j.embedAll(ctx, model, g.Model, of, failed); err != nil {
		return failed, err
	}
	if of = slices.DeleteFunc(of, fails); len(of) == 0 {
		return failed, nil
	}
	if err := j.Insert(ctx, g, of, again); err != nil {
		return failed, err
	}
	return failed, j.Rows.Indexed(ctx, g.ID, of)
}

// embedAll is Embed that goes on where the model refuses a text, each judgment by itself then: it notes the keys of those that fail, and
// nobody else waits for them.
func (j *Judgments) embedAll(ctx context.Context, model embed.Embedder, name string, of []judgment.Pending, failed map[int64]bool) error {
	err := j.Embed(ctx, model, name, of)
	if !embed.RefusesTexts(err) {
		return err
	}
	for i := range of {
		err := j.Embed(ctx, model, name, of[i:i+1])
		if failed[of[i].Key] = embed.RefusesTexts(err); err != nil && !failed[of[i].Key] {
			return err
		}
	}
	return nil
}

// lost are the workspaces whose place in the index is lost.
func (j *Judgments) lost(ctx context.Context, g knowledge.Generation, of []judgment.Pending) (map[string]bool, error) {
	lost := map[string]bool{}
	for _, p := range of {
		if _, known := lost[p.WorkspaceID]; known {
			continue
		}
		err := j.Lost(ctx, judgmentsOf(g, p.WorkspaceID))
		if err != nil && !errors.Is(err, vector.ErrLost) {
			return nil, err
		}
		lost[p.WorkspaceID] = err != nil
	}
	return lost, nil
}

// Embed makes and stores the vectors that are missing, some at a time, so that a try
// which is broken off has not worked in vain. A text that several have is embedded once.
func (j *Judgments) Embed(ctx context.Context, model embed.Embedder, name string, of []judgment.Pending) error {
	known := map[string][]float32{}
	var missing []*judgment.Pending
	for i := range of {
		if of[i].Vectors == nil {
			missing = append(missing, &of[i])
		}
	}
	for some := range slices.Chunk(missing, storedAtOnce) {
		if err := embedTexts(ctx, model, some, known); err != nil {
			return err
		}
		stored := make([]judgment.Pending, len(some))
		for i, o := range some {
			o.Vectors = &judgment.Vectors{Review: known[reviewText(o.Text)], Content: known[contentText(o.Text)]}
			stored[i] = *o
		}
		if err := j.Rows.StoreVectors(ctx, name, stored); err != nil {
			return err
		}
	}
	return nil
}

// embedTexts adds the vectors of the texts of judgments to those that are known.
func embedTexts(ctx context.Context, model embed.Embedder, of []*judgment.Pending, known map[string][]float32) error {
	var texts []string
	for _, o := range of {
		for _, text := range []string{reviewText(o.Text), contentText(o.Text)} {
			if known[text] == nil && text != "" && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	made, err := model.Embed(ctx, texts, embed.Review)
	if err != nil {
		return err
	}
	for i, text := range texts {
		known[text] = made[i]
	}
	return nil
}

// reviewText is what was decided and why.
func reviewText(t judgment.Text) string { return words.ReviewText(t.Decision, t.Reasoning, t.Content) }

// contentText is what was judged, empty where that is not known.
func contentText(t judgment.Text) string {
	if strings.TrimSpace(t.Content) == "" {
		return ""
	}
	return chunk.Head(t.Content, contentTokens)
}

// Insert writes judgments with their vectors into a generation. Of what is there already the
// index would keep the old vectors, so those of which it may have some, again, are removed before.
func (j *Judgments) Insert(ctx context.Context, g knowledge.Generation, of []judgment.Pending, again map[int64]bool) error {
	var there []judgment.Ref
	for _, p := range of {
		if again[p.Key] {
			there = append(there, p.Ref)
		}
	}
	if err := j.Remove(ctx, g, there); err != nil {
		return err
	}
	byWorkspace := map[string][]vector.Judgment{}
	for _, o := range of {
		byWorkspace[o.WorkspaceID] = append(byWorkspace[o.WorkspaceID], vector.Judgment{
			Key: o.Key, Organization: o.Fields.OrganizationKey, Document: o.Fields.DocumentKey, Decision: o.Text.Decision,
			JudgeType: o.Fields.JudgeType, ContentType: o.Fields.ContentType, Reviewer: o.Fields.UserID, Annotation: o.Fields.AnnotationID,
			CreatedAt: o.Fields.CreatedAt, Review: o.Vectors.Review, Content: o.Vectors.Content,
		})
	}
	for workspaceID, judgments := range byWorkspace {
		if err := j.Generations.NoteUse(ctx, workspaceID); err != nil {
			return err
		}
		if err := j.Index.InsertJudgments(ctx, judgmentsOf(g, workspaceID), judgments); err != nil {
			return err
		}
	}
	return nil
}
