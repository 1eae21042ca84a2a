package pattern

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

// readMembers reads the newest judgments of a scope of which the index has vectors, by
// the model that serves. An agent is a reviewer of its own. SQL by hand: several tables
// in one snapshot.
var readMembers = `
SELECT j.record_id, CASE WHEN j.judge_type = 'agent' THEN 'agent/' || coalesce(j.agent->>'agentId', j.agent->>'agentName', j.user_id)
       ELSE 'user/' || j.user_id END,
       coalesce(` + subject.ID("j.organization_key") + `, ''), coalesce(` + subject.ID("j.document_key") + `, ''), coalesce(j.annotation_id, ''),
       j.decision = 'approve', j.created_at, j.reasoning, coalesce(j.category, ''),
       coalesce(j.agent->'agentFields'->'reason'->>'issueType', ''), v.review, v.content
FROM judgments j JOIN judgment_index i ON i.key = j.key
JOIN judgment_vectors v ON v.key = j.key AND v.revision = i.revision AND v.model = (SELECT model FROM index_generations WHERE state = 'serving')
WHERE ` + decided

// readFingerprint reads that of all judgments of a scope.
var readFingerprint = `SELECT coalesce(` + fingerprint + `, 0) FROM judgments j JOIN judgment_index i ON i.key = j.key WHERE ` + decided

// Members are the judgments of a scope that patterns are found among, the newest
// pattern.MaxMembers of a year. What comes after the list of a job and goes before the next
// one would leave no trace there, so the fingerprint that counts is that of what was read.
func (p *Patterns) Members(ctx context.Context, s *Scope) (found []pattern.Member, err error) {
	q := pg.NewConditions(s.WorkspaceID)
	if s.OrganizationKey != nil {
		q.And("j.organization_key = %s", *s.OrganizationKey)
	}
	if s.ContentType != nil {
		q.And("j.content_type = %s", *s.ContentType)
	}
	all, narrow := slices.Clone(q.Args), q.Text()
	limit := q.Value(pattern.MaxMembers)
	err = p.db.ReadBatch(ctx, func(b *pgx.Batch) {
		b.Queue(readFingerprint+narrow, all...).QueryRow(func(row pgx.Row) error { return row.Scan(&s.seen) })
		b.Queue(readMembers+narrow+` ORDER BY j.created_at DESC, j.record_id DESC LIMIT `+limit, q.Args...).Query(func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scanMember)
			return err
		})
	})
	return found, err
}

func scanMember(row pgx.CollectableRow) (pattern.Member, error) {
	var m pattern.Member
	var review, content pgtype.DriverBytes
	err := row.Scan(&m.RecordID, &m.ReviewerID, &m.OrganizationID, &m.DocumentID, &m.ThreadID, &m.Approves, &m.CreatedAt, &m.Reasoning,
		&m.Category, &m.IssueType, &review, &content)
	m.Review, m.Content = vector.FromBytes(review), vector.FromBytes(content)
	return m, err
}
