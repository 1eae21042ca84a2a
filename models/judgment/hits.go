package judgment

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

// Hit is a judgment that was found. CreatedAt is epoch milliseconds, Similarity the
// cosine, cut to 0 to 1.
type Hit struct {
	RecordID, Reasoning, Decision string
	Confidence                    float64
	JudgeType, UserID, UserName   string
	Agent                         json.RawMessage
	CreatedAt                     int64
	// Organization is the key of a subject, DocumentID the id that the document has now: it
	// may have been that of another subject before. nil for none.
	Organization *int64
	DocumentID   *string
	AnnotationID string
	// Content is what was judged, where that was asked for.
	Content    string
	Similarity float64
	// Judged is whether it is known what was judged, ContentSimilarity that of its vector,
	// nil where it was not found by that.
	Judged            bool
	ContentSimilarity *float64
	// ReviewVector is that of what was decided and why, ContentVector that of what was judged
	// where it was found by that; where they were asked for.
	ReviewVector, ContentVector []float32

	key int64
}

// hitRows are the rows of what the index gave, by their keys: with no more of each than its place among the
// others depends on, since a search may have to look at thousands.
type hitRows map[int64]Hit

// readHits reads the rest of those that are found. A long content is fetched only where it is wanted.
var readHits = `
SELECT j.key, reasoning, decision, confidence, judge_type, user_id, user_name, agent, organization_key, ` + subject.ID("j.document_key") + `,
       coalesce(annotation_id, ''), CASE WHEN $3 THEN j.content ELSE '' END, octet_length(j.content) > 0
FROM judgments j WHERE workspace_id = $1 AND j.key = ANY ($2)`

// readRest reads what is shown or weighed of hits, and leaves out those that are gone meanwhile.
func (s *Judgments) readRest(ctx context.Context, workspaceID string, hits []Hit, contents bool) ([]Hit, error) {
	keys, at := make([]int64, len(hits)), make(map[int64]*Hit, len(hits))
	for i := range hits {
		keys[i], at[hits[i].key] = hits[i].key, &hits[i]
	}
	rows, err := s.db.Pool.Query(ctx, readHits, workspaceID, keys, contents)
	if err != nil {
		return nil, pg.Translate(err)
	}
	there := make(map[int64]bool, len(hits))
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (key int64, err error) {
		var read Hit
		err = row.Scan(&key, &read.Reasoning, &read.Decision, &read.Confidence, &read.JudgeType, &read.UserID, &read.UserName, (*[]byte)(&read.Agent),
			&read.Organization, &read.DocumentID, &read.AnnotationID, &read.Content, &read.Judged)
		at[key].with(&read)
		there[key] = true
		return key, err
	})
	return slices.DeleteFunc(hits, func(h Hit) bool { return !there[h.key] }), pg.Translate(err)
}

// with takes over what was read of a hit.
func (h *Hit) with(read *Hit) {
	h.Reasoning, h.Decision, h.Confidence, h.JudgeType = read.Reasoning, read.Decision, read.Confidence, read.JudgeType
	h.UserID, h.UserName, h.Agent = read.UserID, read.UserName, read.Agent
	h.Organization, h.DocumentID, h.AnnotationID = read.Organization, read.DocumentID, read.AnnotationID
	h.Content, h.Judged = read.Content, read.Judged
}

// join reads the rows of hits that still fit the filter, and how many fit it where that is
// asked for.
func (s *Judgments) join(ctx context.Context, workspaceID string, q Near, about subject.Narrow, hits [][]vector.JudgmentHit) (hitRows, int64, error) {
	total, all := &counted{known: true}, q.conditions(workspaceID, about)
	switch {
	case q.Counted:
		total = s.total(workspaceID, q.Filter)
	case q.Roughly:
		total = s.roughly(workspaceID, q.Filter, q.Decisions)
		all.And("decision = ANY (%s)", q.Decisions)
	}
	var keys []int64
	for _, hit := range slices.Concat(hits...) {
		keys = append(keys, hit.Key)
	}
	slices.Sort(keys)
	where := q.where(workspaceID, about)
	where.And("j.key = ANY (%s)", slices.Compact(keys))
	found := make(hitRows, len(keys))
	b := &pgx.Batch{}
	total.queue(b, all)
	b.Queue(`SELECT j.key, record_id, created_at FROM judgments j WHERE workspace_id = $1`+where.Text(), where.Args...).Query(func(rows pgx.Rows) error {
		read, err := pgx.CollectRows(rows, scanHit)
		for _, h := range read {
			found[h.key] = h
		}
		return err
	})
	if err := s.db.Pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, 0, pg.Translate(err)
	}
	err := s.finish(ctx, workspaceID, total)
	return found, total.count, err
}

func scanHit(row pgx.CollectableRow) (Hit, error) {
	var h Hit
	var at time.Time
	err := row.Scan(&h.key, &h.RecordID, &at)
	h.CreatedAt = at.UnixMilli()
	return h, err
}

// nearest returns the nearest rows of each list of hits, up to limit, each row once; among
// says by which vector each list is. more says that the index, which was asked for so many,
// may have others that belong to them.
func (r hitRows) nearest(lists [][]vector.JudgmentHit, among []string, limit, asked int) (found []Hit, more bool) {
	for i, hits := range lists {
		own := r.in(hits)
		if among[i] == vector.Content {
			for n := range own {
				own[n].ContentSimilarity = &own[n].Similarity
			}
		}
		more = more || len(hits) == asked && wantsMore(own, hits, limit)
		found = append(found, own[:min(len(own), limit)]...)
	}
	return once(found), more
}

// in returns the rows of one list of hits, in the order of an answer.
func (r hitRows) in(hits []vector.JudgmentHit) []Hit {
	found := make([]Hit, 0, len(hits))
	for _, hit := range hits {
		if row, ok := r[hit.Key]; ok {
			row.Similarity, row.ReviewVector, row.ContentVector = similarity(hit.Distance), hit.Review, hit.Content
			found = append(found, row)
		}
	}
	slices.SortFunc(found, nearestFirst)
	return found
}

// wantsMore reports whether hits beyond those that the index gave may belong to the
// answer: there are too few, or some may be as near as the last one.
func wantsMore(found []Hit, hits []vector.JudgmentHit, limit int) bool {
	return len(found) < limit || len(hits) < widest && similarity(hits[len(hits)-1].Distance) >= found[limit-1].Similarity
}

func similarity(distance float32) float64 { return min(1, max(0, 1-float64(distance))) }

// once keeps the best of several hits of a judgment, with what is known of the others.
func once(all []Hit) []Hit {
	slices.SortFunc(all, nearestFirst)
	best := make(map[string]*Hit, len(all))
	kept := make([]Hit, 0, len(all))
	for _, h := range all {
		if first := best[h.RecordID]; first != nil {
			if h.ContentSimilarity != nil {
				first.ContentSimilarity, first.ContentVector = h.ContentSimilarity, h.ContentVector
			}
			continue
		}
		kept = append(kept, h)
		best[h.RecordID] = &kept[len(kept)-1]
	}
	return kept
}

// nearestFirst is the order of an answer: the nearest, then the newest, then by id.
func nearestFirst(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(b.CreatedAt, a.CreatedAt), strings.Compare(a.RecordID, b.RecordID))
}
