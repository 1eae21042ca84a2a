package indexing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/embed"
	words "github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// owedAtOnce is how many judgments are brought in together, unless they are long
	// (portion).
	owedAtOnce = 64
	// storedAtOnce is of how many judgments the vectors are stored together: even eight
	// contents of the greatest length take the model a few seconds.
	storedAtOnce = 8
	// roundLimit bounds the work on those: a claim lasts longer, so nobody else has them.
	roundLimit = 30 * time.Second
	// contentTokens is how much of the content is embedded.
	contentTokens = 4000
)

// JudgmentRows is what is needed of the rows of judgments (*judgment.Judgments).
type JudgmentRows interface {
	ClaimOwed(ctx context.Context, model, after string, limit int) (owed []judgment.Owed, last string, err error)
	StoreVectors(ctx context.Context, model string, of []judgment.Owed) error
	Indexed(ctx context.Context, generationID string, of []judgment.Owed) error
	Forgotten(ctx context.Context, of []judgment.Owed) error
	// Leave makes judgments due at once that nobody tried to bring in, GiveBack in a
	// while those that could not be.
	Leave(ctx context.Context, of []judgment.Owed) error
	GiveBack(ctx context.Context, of []judgment.Owed) error
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
	Delete(ctx context.Context, p vector.Partition, id string) error
	// Holds tells whether there may be something to delete.
	Holds(ctx context.Context, p vector.Partition) (bool, error)
}

// Judgments brings judgments into the index that are owed to it, and removes those that
// are gone. The rows say what is owed, so it may end at any moment and be run by several
// processes at once.
type Judgments struct {
	Rows        JudgmentRows
	Generations Generations
	Index       JudgmentIndex
	Models      *embed.Models
	// Lost gives a fault where the index has lost what it had of a workspace: rounds write
	// nothing there.
	Lost func(ctx context.Context, p vector.Partition) error

	// after is the workspace where the next round begins.
	after string
}

// Round works on some of what is owed, and gives whether there may be more. A fault
// leaves what it could not do for a later round.
func (j *Judgments) Round(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	g, err := j.generation(ctx)
	if err != nil {
		return false, err
	}
	owed, last, err := j.Rows.ClaimOwed(ctx, g.Model, j.after, owedAtOnce)
	if err != nil || len(owed) == 0 {
		j.after = last
		return false, err
	}
	taken, rest := portion(owed, j.after)
	j.after = served(taken, rest, last)
	if err := j.Rows.Leave(ctx, rest); err != nil {
		return false, err // their claim runs out
	}
	if err := j.work(ctx, *g, taken); err != nil {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = j.Rows.GiveBack(own, taken) // else their claim runs out
		return false, err
	}
	return len(owed) == owedAtOnce || len(rest) > 0, nil
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

func (j *Judgments) work(ctx context.Context, g knowledge.Generation, owed []judgment.Owed) error {
	var there, gone []judgment.Owed
	for _, o := range owed {
		if o.Text == nil {
			gone = append(gone, o)
		} else {
			there = append(there, o)
		}
	}
	if err := j.remove(ctx, gone); err != nil {
		return err
	}
	return j.bringIn(ctx, g, there)
}

// remove takes judgments out of every generation that may hold them.
func (j *Judgments) remove(ctx context.Context, gone []judgment.Owed) error {
	if len(gone) == 0 {
		return nil
	}
	standing, err := j.Generations.Standing(ctx)
	if err != nil {
		return err
	}
	for _, g := range standing {
		if err := j.Remove(ctx, g, gone); err != nil {
			return err
		}
	}
	return j.Rows.Forgotten(ctx, gone)
}

// Remove takes judgments out of a generation. One that is being built may have no judgments
// of anybody yet: to ask once for each workspace keeps others from waiting for the answers
// that nothing is there.
func (j *Judgments) Remove(ctx context.Context, g knowledge.Generation, of []judgment.Owed) error {
	held := map[string]bool{}
	for _, o := range of {
		p := judgmentsOf(g, o.WorkspaceID)
		there, known := held[o.WorkspaceID]
		if !known {
			var err error
			if there, err = j.Index.Holds(ctx, p); err != nil {
				return err
			}
			held[o.WorkspaceID] = there
		}
		if !there {
			continue
		}
		if err := j.Index.Delete(ctx, p, p.JudgmentID(o.Key)); err != nil {
			return err
		}
	}
	return nil
}

func judgmentsOf(g knowledge.Generation, workspaceID string) vector.Partition {
	return vector.Partition{Suffix: g.Suffix, Workspace: workspaceID, Corpus: vector.Judgments}
}

func (j *Judgments) bringIn(ctx context.Context, g knowledge.Generation, there []judgment.Owed) error {
	there, err := j.exceptLost(ctx, g, there)
	if err != nil || len(there) == 0 {
		return err
	}
	model, err := j.Models.Verify(ctx, g.Identity, g.Probe)
	if err != nil {
		return err
	}
	if err := j.Embed(ctx, model, g.Model, there); err != nil {
		return err
	}
	if err := j.Insert(ctx, g, there); err != nil {
		return err
	}
	return j.Rows.Indexed(ctx, g.ID, there)
}

// exceptLost gives back the judgments of workspaces whose place in the index is lost and
// leaves the others. They wait until an operator has had the index mended: written now, they
// would be found and hide that those before them are not.
func (j *Judgments) exceptLost(ctx context.Context, g knowledge.Generation, owed []judgment.Owed) (there []judgment.Owed, err error) {
	var lost []judgment.Owed
	faults := map[string]error{}
	for _, o := range owed {
		fault, known := faults[o.WorkspaceID]
		if !known {
			fault = j.Lost(ctx, judgmentsOf(g, o.WorkspaceID))
			faults[o.WorkspaceID] = fault
		}
		switch {
		case fault == nil:
			there = append(there, o)
		case errors.Is(fault, vector.ErrLost):
			lost = append(lost, o)
		default:
			return nil, fault
		}
	}
	return there, j.Rows.GiveBack(ctx, lost)
}

// Embed makes and stores the vectors that are missing, some at a time, so that a try
// which is broken off has not worked in vain. A text that several have is embedded once.
func (j *Judgments) Embed(ctx context.Context, model embed.Embedder, name string, of []judgment.Owed) error {
	known := map[string][]float32{}
	var missing []*judgment.Owed
	for i := range of {
		if of[i].Vectors == nil {
			missing = append(missing, &of[i])
		}
	}
	for some := range slices.Chunk(missing, storedAtOnce) {
		if err := embedTexts(ctx, model, some, known); err != nil {
			return err
		}
		stored := make([]judgment.Owed, len(some))
		for i, o := range some {
			o.Vectors = &judgment.Vectors{Review: known[reviewText(*o.Text)], Content: known[contentText(*o.Text)]}
			stored[i] = *o
		}
		if err := j.Rows.StoreVectors(ctx, name, stored); err != nil {
			return err
		}
	}
	return nil
}

// embedTexts adds the vectors of the texts of judgments to those that are known.
func embedTexts(ctx context.Context, model embed.Embedder, of []*judgment.Owed, known map[string][]float32) error {
	var texts []string
	for _, o := range of {
		for _, text := range []string{reviewText(*o.Text), contentText(*o.Text)} {
			if known[text] == nil && text != "" && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	made, err := model.Embed(ctx, texts, embed.Passage)
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

// Insert writes judgments with their vectors into a generation.
func (j *Judgments) Insert(ctx context.Context, g knowledge.Generation, of []judgment.Owed) error {
	// Of what is there already the index keeps the old vectors.
	again := slices.DeleteFunc(slices.Clone(of), func(o judgment.Owed) bool { return !o.Again })
	if err := j.Remove(ctx, g, again); err != nil {
		return err
	}
	byWorkspace, model := map[string][]vector.Judgment{}, embed.ParseIdentity(g.Identity)
	for _, o := range of {
		byWorkspace[o.WorkspaceID] = append(byWorkspace[o.WorkspaceID], vector.Judgment{
			Key: o.Key, Organization: o.Fields.OrganizationKey, Document: o.Fields.DocumentKey, Decision: o.Text.Decision,
			JudgeType: o.Fields.JudgeType, ContentType: o.Fields.ContentType, Reviewer: o.Fields.UserID, Annotation: o.Fields.AnnotationID,
			CreatedAt: o.Fields.CreatedAt, Review: model.WithoutCommon(o.Vectors.Review), Content: model.WithoutCommon(o.Vectors.Content),
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
