package judgment

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
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

// The statements of a call take rows that are there in the order of their keys, and make
// new ones in that of the record ids, so that calls with the same ones wait for each other
// and never in a circle.
var (
	//go:embed make_way.sql
	makeWay string
	//go:embed insert_records.sql
	insertRecords string
	//go:embed replace_records.sql
	replaceRecords string
)

const lockRecords = `SELECT FROM judgments WHERE workspace_id = $1 AND record_id = ANY ($2) ORDER BY key FOR UPDATE`

// lockIndexedRecords locks what the index has of records that are there at once, since some of
// them make way and others are replaced.
const lockIndexedRecords = `
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
		err := openSubjects(ctx, tx, workspaceID, records, ids)
		if err == nil {
			made, err = write(ctx, tx, insertRecords, workspaceID, records)
		}
		if err == nil {
			_, err = write(ctx, tx, replaceRecords, workspaceID, slices.DeleteFunc(records, func(r Record) bool {
				return !r.Replace || slices.Contains(made, r.RecordID)
			}))
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
// since whoever makes one is waited for. Judgments of the ids that are hidden go.
func openSubjects(ctx context.Context, tx *pg.Tx, workspaceID string, records []Record, ids []string) error {
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
	b.Queue(lockIndexedRecords, workspaceID, ids)
	b.Queue(makeWay, pgx.NamedArgs{"workspace": workspaceID, "ids": ids}).Query(removed(tx, workspaceID))
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for i := range records {
		r := &records[i]
		of := keys[r.about()]
		r.NamedOrganization, r.OrganizationKey, r.DocumentKey = pg.Optional(r.OrganizationID), of.Organization, of.Document
	}
	return nil
}

// write stores records by one of the statements and returns the ids of those that it stored,
// which are to be brought into the index.
func write(ctx context.Context, tx *pg.Tx, statement, workspaceID string, records []Record) (written []string, err error) {
	if len(records) == 0 {
		return nil, nil
	}
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.RecordID
	}
	text, err := json.Marshal(records)
	if err != nil {
		return nil, err
	}
	b := &pgx.Batch{}
	b.Queue(lockRecords, workspaceID, ids)
	b.Queue(statement, pgx.NamedArgs{"workspace": workspaceID, "records": string(text), "ids": ids}).Query(func(rows pgx.Rows) (err error) {
		written, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	err = tx.SendBatch(ctx, b).Close()
	bringIn(tx, workspaceID, written...)
	return written, err
}
