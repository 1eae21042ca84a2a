package reindex

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/redline-svc/redline/activities/indexing"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// listPage is how many objects are listed at once, mostFound how many the index
// gives for one search at most.
const listPage, mostFound = 500, 10_000

// IndexRows are the names of what the index should hold.
type IndexRows interface {
	// IndexedWorkspaces are those that have versions in the index.
	IndexedWorkspaces(ctx context.Context) ([]string, error)
	// IndexedVersions are the versions of a workspace that the index may hold,
	// with whether they are live.
	IndexedVersions(ctx context.Context, workspaceID string) ([]knowledge.IndexedVersion, error)
	// Items passes on the items of a version in their order.
	Items(ctx context.Context, v knowledge.VersionRef, corpus vector.Corpus, each func(knowledge.IndexedItem)) error
	// NoteUse notes that something of a workspace is looked at in the index.
	NoteUse(ctx context.Context, workspaceID string) error
	// Present reports whether a version is live, and whether it has a row.
	Present(ctx context.Context, v knowledge.VersionRef) (live, there bool, err error)
}

// IndexInspector is an index that can be looked through (*vector.Index).
type IndexInspector interface {
	indexing.Index
	indexing.JudgmentIndex
	Nearest(ctx context.Context, p vector.Partition, q vector.Query) ([]vector.Hit, error)
	List(ctx context.Context, p vector.Partition, after string, limit int) ([]vector.Listed, error)
	Delete(ctx context.Context, p vector.Partition, id string) error
}

// Report says how index and rows agree.
type Report struct {
	Workspaces int `json:"workspaces"`
	Versions   int `json:"versions"`
	Items      int `json:"items"`
	Judgments  int `json:"judgments"`
	// Missing cannot be found though they should, by meaning or by words, Surplus are objects without a row.
	Missing int `json:"missing"`
	Surplus int `json:"surplus"`
	Fixed   int `json:"fixed"`
}

// Check compares the serving generation with the rows of every workspace, item
// by item, and mends it where fix is set. What it looks at may change meanwhile:
// only versions that stay live count.
func (r *Job) Check(ctx context.Context, fix bool) (*Report, error) {
	serving, err := r.serving(ctx)
	if err != nil {
		return nil, err
	}
	workspaces, err := r.workspaces(ctx)
	if err != nil {
		return nil, err
	}
	report := &Report{Workspaces: len(workspaces)}
	for i, workspace := range workspaces {
		c := &comparison{Job: r, serving: *serving, workspace: workspace, fix: fix, report: report}
		if err := c.run(ctx); err != nil {
			return nil, err
		}
		r.Progress(i+1, len(workspaces))
	}
	return report, nil
}

// workspaces are those that have anything in the index.
func (r *Job) workspaces(ctx context.Context) ([]string, error) {
	all, err := r.Rows.IndexedWorkspaces(ctx)
	if err != nil {
		return nil, err
	}
	more, err := r.Judgments.IndexedWorkspaces(ctx)
	all = append(all, more...)
	slices.Sort(all)
	return slices.Compact(all), err
}

// comparison is that of one workspace.
type comparison struct {
	*Job

	serving   knowledge.Generation
	workspace string
	fix       bool
	report    *Report
}

func (c *comparison) run(ctx context.Context) error {
	if err := c.Rows.NoteUse(ctx, c.workspace); err != nil {
		return err
	}
	versions, err := c.Rows.IndexedVersions(ctx, c.workspace)
	if err != nil {
		return err
	}
	for _, corpus := range vector.Corpora {
		partition := vector.Partition{Suffix: c.serving.Suffix, Workspace: c.workspace, Corpus: corpus}
		if err := c.corpus(ctx, partition, versions); err != nil {
			return err
		}
	}
	c.report.Versions += len(versions)
	return c.judgments(ctx)
}

// itemsByName are the items of a version with the hashes of their words; without one for
// those that are known to be missing.
type itemsByName map[string][sha256.Size]byte

// corpus compares one of them: first what searches by meaning find of each live version,
// then every object by what it holds.
func (c *comparison) corpus(ctx context.Context, p vector.Partition, versions []knowledge.IndexedVersion) error {
	// known are the items of live versions; nil for versions on their way in or out.
	known := map[string]itemsByName{}
	for _, v := range versions {
		known[knowledge.VersionKey(v.SourceID, v.Version)] = nil
		if !v.Live {
			continue
		}
		items, err := c.version(ctx, p, v.VersionRef)
		if err != nil {
			return err
		}
		known[knowledge.VersionKey(v.SourceID, v.Version)] = items
	}
	changed, err := c.objectsOf(ctx, p, known)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if err := c.miss(ctx, p, v.VersionRef, changed[knowledge.VersionKey(v.SourceID, v.Version)]); err != nil {
			return err
		}
	}
	return nil
}

// miss counts items of a version that are missing, and mends them. One that has ended
// since it was looked at misses nothing: it is on its way out.
func (c *comparison) miss(ctx context.Context, p vector.Partition, v knowledge.VersionRef, names map[string]bool) error {
	if len(names) == 0 {
		return nil
	}
	live, _, err := c.Rows.Present(ctx, v)
	if err != nil || !live {
		return err
	}
	c.report.Missing += len(names)
	if !c.fix {
		return nil
	}
	return c.mend(ctx, p, v, names)
}

// version finds what is missing of a live version, as searches find it.
func (c *comparison) version(ctx context.Context, p vector.Partition, v knowledge.VersionRef) (itemsByName, error) {
	items, missing := itemsByName{}, map[string]bool{}
	err := c.Rows.Items(ctx, v, p.Corpus, func(item knowledge.IndexedItem) {
		items[item.Name] = sha256.Sum256([]byte(vector.Words(item.Text)))
	})
	if err != nil {
		return nil, err
	}
	c.report.Items += len(items)
	found, err := c.found(ctx, p, v, len(items))
	if err != nil {
		return nil, err
	}
	for name := range items {
		if !found[name] {
			missing[name], items[name] = true, [sha256.Size]byte{}
		}
	}
	return items, c.miss(ctx, p, v, missing)
}

// found are the items of a version that a search can find. From both ends of
// the line through the probe sentence, a search finds all of the largest source.
func (c *comparison) found(ctx context.Context, p vector.Partition, v knowledge.VersionRef, count int) (map[string]bool, error) {
	found := map[string]bool{}
	if count == 0 {
		return found, nil
	}
	for _, sign := range []float32{1, -1} {
		from := slices.Clone(c.serving.Probe)
		for i := range from {
			from[i] *= sign
		}
		hits, err := c.Index.Nearest(ctx, p, vector.Query{Vector: from, Limit: mostFound, Version: knowledge.VersionKey(v.SourceID, v.Version)})
		if err != nil && !errors.Is(err, vector.ErrNoTenant) {
			return nil, err
		}
		for _, hit := range hits {
			found[hit.Item] = true
		}
		if len(hits) < mostFound {
			break
		}
	}
	return found, nil
}

// mend writes what is missing again. The object may be there without its vector,
// so it is removed first.
func (c *comparison) mend(ctx context.Context, p vector.Partition, v knowledge.VersionRef, missing map[string]bool) error {
	w := &indexing.Version{Rows: c.Rows, Index: c.Index, Ref: v, Generation: c.serving}
	if err := c.complete(ctx, w); err != nil {
		return err
	}
	return w.Write(ctx, p.Corpus, func(objects []vector.Object) ([]vector.Object, error) {
		objects = slices.DeleteFunc(objects, func(o vector.Object) bool { return !missing[o.Item] })
		for _, o := range objects {
			if err := c.Index.Delete(ctx, p, p.ID(o.Version, o.Item)); err != nil {
				return nil, err
			}
		}
		c.report.Fixed += len(objects)
		return objects, nil
	})
}

// objectsOf goes over all objects: those of which there is no row are surplus. It returns
// those, by version and name, that hold other words than their rows, so that a search by
// words does not find them.
func (c *comparison) objectsOf(ctx context.Context, p vector.Partition, known map[string]itemsByName) (map[string]map[string]bool, error) {
	changed := map[string]map[string]bool{}
	for after := ""; ; {
		page, err := c.Index.List(ctx, p, after, listPage)
		if err != nil {
			return nil, err
		}
		if err := c.learn(ctx, page, known); err != nil {
			return nil, err
		}
		for _, o := range page {
			items, there := known[o.Version]
			words, named := items[o.Item]
			switch {
			case !there || items != nil && !named:
				if err := c.surplus(ctx, p, o.ID); err != nil {
					return nil, err
				}
			case named && words != [sha256.Size]byte{} && words != sha256.Sum256([]byte(o.Words)):
				if changed[o.Version] == nil {
					changed[o.Version] = map[string]bool{}
				}
				changed[o.Version][o.Item] = true
			}
		}
		if len(page) < listPage {
			return changed, nil
		}
		after = page[len(page)-1].ID
	}
}

// learn adds versions that have come since they were read, if there is an object of one. A
// version is marked before its first object is written, so no object is older than its mark.
func (c *comparison) learn(ctx context.Context, page []vector.Listed, known map[string]itemsByName) error {
	unknown := func(o vector.Listed) bool { _, there := known[o.Version]; return !there }
	if !slices.ContainsFunc(page, unknown) {
		return nil
	}
	versions, err := c.Rows.IndexedVersions(ctx, c.workspace)
	for _, v := range versions {
		if key := knowledge.VersionKey(v.SourceID, v.Version); known[key] == nil {
			known[key] = nil
		}
	}
	return err
}

func (c *comparison) surplus(ctx context.Context, p vector.Partition, id string) error {
	c.report.Surplus++
	if !c.fix {
		return nil
	}
	c.report.Fixed++
	return c.Index.Delete(ctx, p, id)
}
