package judgment

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/subject"
)

// Record is a judgment as a caller gives it. The names of its JSON are columns: all
// records of a call are one value of one statement.
type Record struct {
	// RecordID is the caller's; empty for one that is made here.
	RecordID string `json:"record_id"`
	// Decision is the stored word.
	Decision    string  `json:"decision"`
	Reasoning   string  `json:"reasoning"`
	Content     string  `json:"content"`
	ContentType string  `json:"content_type"`
	Category    *string `json:"category"`
	// Confidence is between 0 and 1.
	Confidence float64 `json:"confidence"`
	JudgeType  string  `json:"judge_type"`
	UserID     string  `json:"user_id"`
	// UserName and UserEmail are, where empty, those that the organization knows.
	UserName  *string `json:"user_name"`
	UserEmail *string `json:"user_email"`
	// Agent is as judgments show it, nil for a person.
	Agent          json.RawMessage `json:"agent"`
	OrganizationID string          `json:"-"`
	DocumentID     string          `json:"-"`
	AnnotationID   *string         `json:"annotation_id"`
	// CreatedAt is nil for the moment of recording.
	CreatedAt *time.Time `json:"created_at"`
	// Replace puts the record in the place of one that has its id.
	Replace bool `json:"-"`

	// NamedOrganization is OrganizationID for the look at its profiles; the keys are those of the subjects.
	NamedOrganization *string `json:"organization_id"`
	OrganizationKey   *int64  `json:"organization_key"`
	DocumentKey       *int64  `json:"document_key"`
}

// Recorded says what became of a record: Created is false where its id was known.
type Recorded struct {
	RecordID string
	Created  bool
}

// recordColumns are what a record says, as columns of judgments and of readRecords.
const recordColumns = `record_id, decision, reasoning, content, content_type, category, confidence, judge_type, user_id, user_name, user_email,
       agent, organization_key, document_key, annotation_id, created_at`

// readRecords are the records of $2 as rows, with names from the organization's
// profiles where the caller gave none. LIMIT makes Postgres look up each by its key,
// whatever it thinks of the tables.
const readRecords = `
SELECT r.record_id, r.decision, r.reasoning, r.content, r.content_type, r.category, r.confidence, r.judge_type, r.user_id,
       coalesce(nullif(r.user_name, ''), nullif(p.name, ''), r.user_id) AS user_name,
       coalesce(nullif(r.user_email, ''), nullif(p.email, '')) AS user_email, r.agent, r.organization_key, r.document_key, r.annotation_id,
       coalesce(r.created_at, date_trunc('milliseconds', clock_timestamp())) AS created_at
FROM json_to_recordset($2) AS r (record_id text, decision text, reasoning text, content text, content_type text, category text,
     confidence double precision, judge_type text, user_id text, user_name text, user_email text, agent json, organization_id text,
     organization_key bigint, document_key bigint, annotation_id text, created_at timestamptz)
LEFT JOIN LATERAL (
    SELECT f.name, f.email FROM organizations o JOIN profiles f ON f.organization_key = o.key
    WHERE o.workspace_id = $1 AND o.organization_id = r.organization_id AND f.user_id = r.user_id LIMIT 1
) p ON true`

// Statements of a call. They take rows that are there in the order of their keys, and make
// new ones in that of the record ids, so that calls with the same ones wait for each other
// and never in a circle. A judgment about
// something removed is not there any more for anybody, so it makes way.
var (
	makeWay = owed(`
DELETE FROM judgments WHERE workspace_id = $1 AND record_id = ANY ($2) AND NOT (`+shownRow("judgments")+`)`, oweRemoval)
	insertRecords = naming(`
INSERT INTO judgments (workspace_id, origin, origin_id, ` + recordColumns + `)
SELECT $1, 'record', record_id, ` + recordColumns + ` FROM (` + readRecords + `) r ORDER BY record_id COLLATE "C"
ON CONFLICT DO NOTHING`)
	replaceRecords = owingChange(`
WITH r AS MATERIALIZED (` + readRecords + `)
UPDATE judgments j SET (` + recordColumns + `) = (SELECT ` + recordColumns + ` FROM r WHERE r.record_id = j.record_id)
WHERE j.workspace_id = $1 AND j.record_id = ANY ($3)`)
)

const lockRecords = `SELECT FROM judgments WHERE workspace_id = $1 AND record_id = ANY ($2) ORDER BY key FOR UPDATE`

// lockOwedRecords takes what is owed for records that are there at once, since some of
// them make way and others are replaced.
const lockOwedRecords = `
SELECT FROM judgment_index WHERE key = ANY (ARRAY(SELECT key FROM judgments WHERE workspace_id = $1 AND record_id = ANY ($2))) ORDER BY key FOR UPDATE`

// Record stores judgments, all or none, and returns what became of each in their order.
// An id that is known already changes nothing, unless the record is to replace it; of
// racing calls one makes it. SQL by hand: a call is one transaction of a few trips,
// however many records it has.
func (s *Judgments) Record(ctx context.Context, workspaceID string, records []Record) ([]Recorded, error) {
	records = slices.Clone(records)
	ids := make([]string, len(records))
	for i := range records {
		records[i].RecordID = cmp.Or(records[i].RecordID, id.New(id.Judgment))
		ids[i] = records[i].RecordID
	}
	var made []string
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		tx.NotifyAll(notifier.Judgments)
		gone, err := openSubjects(ctx, tx, workspaceID, records, ids)
		if err == nil {
			made, err = insert(ctx, tx, workspaceID, records)
		}
		if err == nil {
			err = replace(ctx, tx, workspaceID, slices.DeleteFunc(records, func(r Record) bool {
				return !r.Replace || slices.Contains(made, r.RecordID)
			}))
		}
		if gone {
			pattern.Removed(tx, workspaceID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	results := make([]Recorded, len(ids))
	for i, id := range ids {
		results[i] = Recorded{id, slices.Contains(made, id)}
	}
	return results, nil
}

// about is what a record is about, by the caller's ids.
type about struct{ organizationID, documentID string }

func (r *Record) about() about { return about{r.OrganizationID, r.DocumentID} }

// openSubjects finds or makes the subjects of records, in one order for all calls,
// since whoever makes one is waited for. Judgments of the ids that are hidden go; it gives
// whether there were any.
func openSubjects(ctx context.Context, tx *pg.Tx, workspaceID string, records []Record, ids []string) (gone bool, err error) {
	all := make([]about, len(records))
	for i := range records {
		all[i] = records[i].about()
	}
	slices.SortFunc(all, func(a, b about) int {
		return cmp.Or(cmp.Compare(a.organizationID, b.organizationID), cmp.Compare(a.documentID, b.documentID))
	})
	b, keys := &pgx.Batch{}, map[about]*subject.Keys{}
	for _, one := range slices.Compact(all) {
		keys[one] = &subject.Keys{}
		keys[one].Queue(b, workspaceID, one.organizationID, one.documentID)
	}
	b.Queue(lockRecords, workspaceID, ids)
	b.Queue(lockOwedRecords, workspaceID, ids)
	b.Queue(makeWay, workspaceID, ids).Exec(func(done pgconn.CommandTag) error {
		gone = done.RowsAffected() > 0
		return nil
	})
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return false, err
	}
	for i := range records {
		r := &records[i]
		of := keys[r.about()]
		r.NamedOrganization, r.OrganizationKey, r.DocumentKey = pg.Optional(r.OrganizationID), of.Organization, of.Document
	}
	return gone, nil
}

// insert stores the records whose ids are not known and gives these ids.
func insert(ctx context.Context, tx *pg.Tx, workspaceID string, records []Record) ([]string, error) {
	text, err := json.Marshal(records)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, insertRecords, workspaceID, string(text))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// replace puts records in the place of those that have their ids.
func replace(ctx context.Context, tx *pg.Tx, workspaceID string, records []Record) error {
	if len(records) == 0 {
		return nil
	}
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.RecordID
	}
	text, err := json.Marshal(records)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(lockRecords, workspaceID, ids)
	b.Queue(replaceRecords, workspaceID, string(text), ids)
	return tx.SendBatch(ctx, b).Close()
}
