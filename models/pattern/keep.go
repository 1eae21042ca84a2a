package pattern

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	takeScope = `
UPDATE pattern_scopes SET job_id = NULL, looked = CASE WHEN NOT $3 THEN $4::bigint END, looked_at = clock_timestamp()
WHERE key = $1 AND job_id = $2`

	ofScope = ` FROM patterns WHERE workspace_id = $1 AND organization_key IS NOT DISTINCT FROM $2 AND content_type IS NOT DISTINCT FROM $3`

	insertPattern = `
INSERT INTO patterns (workspace_id, id, organization_key, content_type, decision, description, category, confidence, votes, agreeing, unique_reviewers,
       members, top, discovered_at, updated_at)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, now.at, now.at FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS at) now`

	// updatePattern writes nothing where nothing is new.
	updatePattern = `
UPDATE patterns SET description = $3, category = $4, confidence = $5, votes = $6, agreeing = $7, unique_reviewers = $8, members = $9, top = $10,
       updated_at = CASE WHEN $11 THEN updated_at ELSE date_trunc('milliseconds', clock_timestamp()) END
WHERE workspace_id = $1 AND id = $2
      AND (NOT $11 OR (confidence, votes, agreeing, unique_reviewers, top) IS DISTINCT FROM ($5, $6, $7, $8, $10::text[]))`
)

// Keep stores what was found in a scope and takes that off the list of its job. Where
// somebody else has done so meanwhile, or the job is not the open one any more, it
// changes nothing.
func (p *Patterns) Keep(ctx context.Context, s *Scope, found []pattern.Pattern) error {
	return p.db.InTx(ctx, func(tx *pg.Tx) error {
		taken, err := tx.Exec(ctx, takeScope, s.key, s.jobID, s.Again, s.seen)
		if err != nil || taken.RowsAffected() == 0 {
			return err
		}
		stored, err := s.stored(ctx, tx)
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		if err := s.write(b, found, stored); err != nil {
			return err
		}
		return tx.SendBatch(ctx, b).Close()
	})
}

// Category is that of the stored pattern of a scope in which a judgment is, "" where it is
// in none.
func (p *Patterns) Category(ctx context.Context, s *Scope, recordID string) (category string, err error) {
	err = p.db.Pool.QueryRow(ctx, `SELECT category`+ofScope+` AND $4 = ANY (members) LIMIT 1`, s.WorkspaceID, s.OrganizationKey, s.ContentType, recordID).Scan(&category)
	if pg.IsNoRow(err) {
		return "", nil
	}
	return category, pg.Translate(err)
}

// stored reads the patterns of a scope.
func (s *Scope) stored(ctx context.Context, tx *pg.Tx) ([]pattern.Stored, error) {
	rows, err := tx.Query(ctx, `SELECT id, decision = 'approve', members, description, category`+ofScope, s.WorkspaceID, s.OrganizationKey, s.ContentType)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (pattern.Stored, error) {
		var was pattern.Stored
		return was, row.Scan(&was.ID, &was.Approve, &was.Members, &was.Description, &was.Category)
	})
}

// write deletes stored patterns that were not found again, and stores the found ones, with what stands out in the scope.
func (s *Scope) write(b *pgx.Batch, found []pattern.Pattern, stored []pattern.Stored) error {
	matches := pattern.Match(found, stored)
	kept := []string{}
	for _, match := range matches {
		if match != nil {
			kept = append(kept, match.ID)
		}
	}
	b.Queue(`DELETE`+ofScope+` AND id <> ALL ($4)`, s.WorkspaceID, s.OrganizationKey, s.ContentType, kept)
	ids := make([]string, len(found))
	for i, f := range found {
		if was := matches[i]; was != nil {
			b.Queue(updatePattern, s.WorkspaceID, was.ID, f.Description, f.Category, f.Confidence, f.Votes, f.Agreeing, f.UniqueReviewers,
				f.Members, f.Top, was.Unchanged(f))
			ids[i] = was.ID
			continue
		}
		ids[i] = id.New(id.Pattern)
		b.Queue(insertPattern, s.WorkspaceID, ids[i], s.OrganizationKey, s.ContentType, word(f), f.Description, f.Category, f.Confidence,
			f.Votes, f.Agreeing, f.UniqueReviewers, f.Members, f.Top)
	}
	for i, a := range s.Alerts {
		if a.Pattern >= 0 {
			s.Alerts[i].PatternID = ids[a.Pattern]
		}
	}
	alerts, err := json.Marshal(s.Alerts)
	b.Queue(`UPDATE pattern_scopes SET alerts = $2 WHERE key = $1`, s.key, alerts)
	return err
}

func word(p pattern.Pattern) string {
	if p.Approve {
		return judgment.Approve
	}
	return judgment.Reject
}
