package reindex

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/redline-svc/redline/activities/indexing"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

const (
	// judgmentsAtOnce are copied together: less than a minute's work, after which a
	// judgment that goes meanwhile is removed from the index.
	judgmentsAtOnce = 32
	// keysAtOnce are compared with the index together.
	keysAtOnce = 1000
)

// JudgmentRows are the rows of judgments (*judgment.Judgments).
type JudgmentRows interface {
	indexing.JudgmentRows
	// Uncopied returns judgments that the generation which is being built lacks.
	Uncopied(ctx context.Context, generationID, model string, after int64, limit int) (found []judgment.Pending, last int64, err error)
	Copied(ctx context.Context, generationID string, of []judgment.Pending) error
	JudgmentNames
}

// JudgmentNames are the names of the judgments that the index should hold.
type JudgmentNames interface {
	IndexedWorkspaces(ctx context.Context) ([]string, error)
	Held(ctx context.Context, workspaceID string, after int64, limit int) (keys []int64, whole map[int64]bool, err error)
	// IndexAgain has judgments brought in again by the service.
	IndexAgain(ctx context.Context, keys []int64) error
}

// errNoVectors is a judgment whose vectors are not stored.
var errNoVectors = errors.New("a judgment has no stored vectors: use `redline admin index reembed`")

// makeVectors gives judgments that have no stored vectors some, or refuses them.
type makeVectors func(ctx context.Context, w *indexing.Judgments, of []judgment.Pending) error

func mustHaveVectors(_ context.Context, _ *indexing.Judgments, of []judgment.Pending) error {
	if slices.ContainsFunc(of, func(o judgment.Pending) bool { return o.Vectors == nil }) {
		return errNoVectors
	}
	return nil
}

// copyJudgments brings those into a generation that it lacks.
func (r *Job) copyJudgments(ctx context.Context, g knowledge.Generation, prepare makeVectors) error {
	w := &indexing.Judgments{Rows: r.Judgments, Generations: r.Rows, Index: r.Index, Models: r.Models}
	for after := int64(0); ; {
		there, last, err := r.Judgments.Uncopied(ctx, g.ID, g.Model, after, judgmentsAtOnce)
		if err != nil || last == 0 {
			return err
		}
		after = last
		if err := prepare(ctx, w, there); err != nil {
			return err
		}
		if err := w.Insert(ctx, g, there, all(there)); err != nil {
			return err
		}
		if err := r.Judgments.Copied(ctx, g.ID, there); err != nil {
			return err
		}
	}
}

// all are the keys of judgments.
func all(of []judgment.Pending) map[int64]bool {
	keys := map[int64]bool{}
	for _, p := range of {
		keys[p.Key] = true
	}
	return keys
}

// judgments compares those of the workspace with the index. What is missing the service
// brings in again.
func (c *comparison) judgments(ctx context.Context) error {
	p := vector.Partition{Suffix: c.serving.Suffix, Workspace: c.workspace, Corpus: vector.Judgments}
	there, err := c.objects(ctx, p)
	if err != nil {
		return err
	}
	for after := int64(0); ; {
		keys, whole, err := c.Judgments.Held(ctx, c.workspace, after, keysAtOnce)
		if err != nil {
			return err
		}
		var missing []int64
		for _, key := range keys {
			if after = key; whole[key] {
				c.report.Judgments++
			}
			if whole[key] && there[key] == "" {
				missing = append(missing, key)
			}
			delete(there, key)
		}
		if err := c.indexAgain(ctx, missing); err != nil {
			return err
		}
		if len(keys) < keysAtOnce {
			return c.removeJudgments(ctx, p, there)
		}
	}
}

// objects are the ids of the objects of a workspace's judgments, by their keys.
func (c *comparison) objects(ctx context.Context, p vector.Partition) (map[int64]string, error) {
	there := map[int64]string{}
	for after := ""; ; {
		page, err := c.Index.List(ctx, p, after, listPage)
		if err != nil {
			return nil, err
		}
		for _, o := range page {
			key, _ := strconv.ParseInt(o.Item, 10, 64) // none has the key 0
			there[key] = o.ID
		}
		if len(page) < listPage {
			return there, nil
		}
		after = page[len(page)-1].ID
	}
}

func (c *comparison) indexAgain(ctx context.Context, missing []int64) error {
	c.report.Missing += len(missing)
	if !c.fix || len(missing) == 0 {
		return nil
	}
	c.report.Fixed += len(missing)
	return c.Judgments.IndexAgain(ctx, missing)
}

func (c *comparison) removeJudgments(ctx context.Context, p vector.Partition, surplus map[int64]string) error {
	c.report.Surplus += len(surplus)
	if !c.fix {
		return nil
	}
	for _, id := range surplus {
		if err := c.Index.Delete(ctx, p, id); err != nil {
			return err
		}
		c.report.Fixed++
	}
	return nil
}
