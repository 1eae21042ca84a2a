package subject_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/subject"
)

// papers are rows about subjects: a number with the keys of its organization and of
// its document.
type papers struct {
	t  *testing.T
	db *pg.DB
}

func newPapers(t *testing.T) *papers {
	t.Helper()
	p := &papers{t, pgtest.New(t)}
	modelstest.AddWorkspace(t, p.db, modelstest.Workspace)
	_, err := p.db.Pool.Exec(t.Context(), `CREATE TABLE papers (n bigint PRIMARY KEY, organization_key bigint, document_key bigint)`)
	require.NoError(t, err)
	return p
}

const writePaper = `INSERT INTO papers SELECT $4, organization_key, document_key FROM (` + subject.Open + `) o`

// write writes a paper in a transaction of its own.
func (p *papers) write(n int64, organizationID, documentID string) error {
	_, err := p.db.Pool.Exec(context.Background(), writePaper, modelstest.Workspace, pg.Optional(organizationID), pg.Optional(documentID), n)
	return err
}

func (p *papers) writes(n int64, organizationID, documentID string) {
	p.t.Helper()
	require.NoError(p.t, p.write(n, organizationID, documentID))
}

func (p *papers) rename(documentID, newDocumentID string) {
	p.t.Helper()
	modelstest.Rename(p.t, p.db, modelstest.Workspace, documentID, newDocumentID)
}

func (p *papers) remove(documentIDs ...string) {
	p.t.Helper()
	modelstest.Remove(p.t, p.db, modelstest.Workspace, documentIDs...)
}

func (p *papers) removeOrganization(organizationID string) {
	p.t.Helper()
	modelstest.RemoveOrganization(p.t, p.db, modelstest.Workspace, organizationID)
}

// found are the papers that a filter keeps, each with the ids that it has now.
func (p *papers) found(f subject.Filter) []string {
	p.t.Helper()
	found := []string{}
	err := f.Read(p.t.Context(), p.db, modelstest.Workspace, func(b *pgx.Batch, n subject.Narrow) {
		q := pg.NewConditions(modelstest.Workspace)
		n.Keep(q, "p.organization_key", "p.document_key")
		b.Queue(`SELECT concat_ws(' ', p.n, `+subject.ID("p.organization_key")+`, `+subject.ID("p.document_key")+`) FROM papers p
WHERE $1 <> ''`+q.Text()+` ORDER BY p.n`, q.Args...).Query(func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
	})
	require.NoError(p.t, err)
	return found
}

// shown are the numbers of the papers about nothing that is removed.
func (p *papers) shown() string {
	p.t.Helper()
	var shown string
	require.NoError(p.t, p.db.Pool.QueryRow(p.t.Context(), `SELECT coalesce(string_agg(n::text, ' ' ORDER BY n), '') FROM papers p WHERE `+
		subject.Shown("p.organization_key", "p.document_key")).Scan(&shown))
	return shown
}

func (p *papers) subjects() (count int) {
	p.t.Helper()
	require.NoError(p.t, p.db.Pool.QueryRow(p.t.Context(), `SELECT count(*) FROM subjects`).Scan(&count))
	return count
}

func of(documentID string) subject.Filter {
	return subject.Filter{OrganizationID: "acme", DocumentID: documentID}
}

func TestAnIDMakesOneSubject(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	p.writes(1, "acme", "spring")
	p.writes(2, "acme", "spring")
	p.writes(3, "acme", "")
	p.writes(4, "apex", "spring")
	p.writes(5, "", "spring")
	p.writes(6, "", "")
	require.Equal(t, 6, p.subjects(), "two organizations, none, and a document in each")
	require.Equal(t, []string{"1 acme spring", "2 acme spring", "3 acme"}, p.found(subject.Filter{OrganizationID: "acme"}))
	require.Equal(t, []string{"1 acme spring", "2 acme spring"}, p.found(of("spring")))
	require.Equal(t, []string{"1 acme spring", "2 acme spring", "4 apex spring", "5 spring"}, p.found(subject.Filter{DocumentID: "spring"}))
	require.Len(t, p.found(subject.Filter{}), 6)
	require.Empty(t, p.found(of("winter")))
	require.Empty(t, p.found(subject.Filter{OrganizationID: "unknown"}))
	require.Equal(t, 6, p.subjects(), "a filter makes nothing")
}

// Ids of the greatest length fit into the indexes.
func TestIDsOfTwoHundredEmoji(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	long := strings.Repeat("🦊", 199)
	p.writes(1, long+"1", long+"2")
	p.writes(2, "acme", long+"2")
	p.rename(long+"2", long+"3")
	require.Len(t, p.found(of(long+"3")), 1)
	require.Len(t, p.found(subject.Filter{OrganizationID: long + "1", DocumentID: long + "2"}), 1)
}

// Two transactions make the same subjects: the second waits for the first and has its
// keys, or makes them itself where the first is undone.
func TestTwoTransactionsMakeOneSubject(t *testing.T) {
	t.Parallel()
	for name, commit := range map[string]bool{"committed": true, "undone": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPapers(t)
			first, err := p.db.Pool.Begin(t.Context())
			require.NoError(t, err)
			defer func() { _ = first.Rollback(context.Background()) }()
			_, err = first.Exec(t.Context(), writePaper, modelstest.Workspace, "acme", "spring", 1)
			require.NoError(t, err)
			second := make(chan error, 1)
			go func() { second <- p.write(2, "acme", "spring") }()
			modelstest.AwaitWaiting(t, p.db, 1)
			if commit {
				require.NoError(t, first.Commit(t.Context()))
			} else {
				require.NoError(t, first.Rollback(t.Context()))
			}
			require.NoError(t, <-second)
			require.Equal(t, 2, p.subjects())
			require.Len(t, p.found(of("spring")), map[bool]int{true: 2, false: 1}[commit])
		})
	}
}

func TestFiftyMakeOneSubject(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	for _, err := range modelstest.AtOnce(50, func(i int) error { return p.write(int64(i), "acme", "spring") }) {
		require.NoError(t, err)
	}
	require.Equal(t, 2, p.subjects())
	require.Len(t, p.found(of("spring")), 50)
}

func TestRename(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	p.writes(1, "acme", "spring")
	p.writes(2, "acme", "other")
	p.writes(3, "apex", "spring")
	p.rename("spring", "summer")
	require.Empty(t, p.found(of("spring")))
	require.Equal(t, []string{"1 acme summer"}, p.found(of("summer")))
	require.Equal(t, []string{"3 apex spring"}, p.found(subject.Filter{DocumentID: "spring"}), "another organization has its own")
	p.writes(4, "acme", "summer")
	p.writes(5, "acme", "spring")
	require.Equal(t, []string{"1 acme summer", "4 acme summer"}, p.found(of("summer")))
	require.Equal(t, []string{"5 acme spring"}, p.found(of("spring")), "the old id names something new")
	p.rename("unknown", "known")
	require.Empty(t, p.found(of("known")))
}

// A document that comes to an id which was known is found under it with what was.
func TestRenameToAKnownID(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	p.writes(1, "acme", "summer")
	p.writes(2, "acme", "spring")
	p.rename("spring", "summer")
	p.writes(3, "acme", "summer")
	require.Equal(t, []string{"1 acme summer", "2 acme summer", "3 acme summer"}, p.found(of("summer")))
	p.rename("summer", "autumn")
	require.Empty(t, p.found(of("summer")))
	require.Len(t, p.found(of("autumn")), 3, "they go on together")
	p.writes(4, "acme", "autumn")
	p.remove("autumn")
	require.Empty(t, p.found(of("autumn")))
	require.Empty(t, p.shown())
	p.writes(5, "acme", "autumn")
	require.Equal(t, "5", p.shown())
}

// Whoever makes the document at this moment goes along, and whoever makes the new id
// is found beside it.
func TestRenameWaitsForWhoMakesOneOfTheIDs(t *testing.T) {
	t.Parallel()
	for _, made := range []string{"spring", "summer"} {
		t.Run(made, func(t *testing.T) {
			t.Parallel()
			p := newPapers(t)
			p.writes(1, "acme", "")
			writer, err := p.db.Pool.Begin(t.Context())
			require.NoError(t, err)
			defer func() { _ = writer.Rollback(context.Background()) }()
			_, err = writer.Exec(t.Context(), writePaper, modelstest.Workspace, "acme", made, 2)
			require.NoError(t, err)
			renamed := make(chan error, 1)
			go func() {
				renamed <- p.db.InTx(context.Background(), func(tx *pg.Tx) error {
					return subject.Rename(context.Background(), tx, modelstest.Workspace, "acme", "spring", "summer")
				})
			}()
			modelstest.AwaitWaiting(t, p.db, 1)
			require.NoError(t, writer.Commit(t.Context()))
			require.NoError(t, <-renamed)
			require.Equal(t, []string{"2 acme summer"}, p.found(of("summer")))
			p.writes(3, "acme", "summer")
			require.Len(t, p.found(of("summer")), 2)
		})
	}
}

// Fifty writers write about a document and about the id that it comes to, while it is
// renamed forth and back: nothing fails or is lost, and what was there before a change
// is under one id after it.
func TestRenameUnderFiftyWriters(t *testing.T) {
	t.Parallel()
	const writers, rounds = 50, 20
	p := newPapers(t)
	p.writes(0, "acme", "spring")
	var last atomic.Int64
	ids := []string{"spring", "summer"}
	for _, err := range modelstest.AtOnce(writers+1, func(i int) error {
		for round := range rounds {
			if i < writers {
				if err := p.write(last.Add(1), "acme", ids[(i+round)%2]); err != nil {
					return err
				}
				continue
			}
			if err := p.db.InTx(context.Background(), func(tx *pg.Tx) error {
				return subject.Rename(context.Background(), tx, modelstest.Workspace, "acme", ids[round%2], ids[(round+1)%2])
			}); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	}) {
		require.NoError(t, err)
	}
	all := p.found(subject.Filter{OrganizationID: "acme"})
	require.Len(t, all, writers*rounds+1)
	require.Len(t, append(p.found(of("spring")), p.found(of("summer"))...), len(all), "each is under one of the ids")
	p.rename("spring", "autumn")
	p.rename("summer", "autumn")
	require.Len(t, p.found(of("autumn")), len(all))
	require.Empty(t, p.found(of("summer")))
}

func TestRemovedAndUsedAgain(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	p.writes(1, "acme", "spring")
	p.writes(2, "acme", "other")
	p.writes(3, "apex", "spring")
	p.remove("spring", "unknown")
	require.Equal(t, "2 3", p.shown())
	require.Empty(t, p.found(of("spring")))
	former := of("spring")
	former.Removed = true
	require.Equal(t, []string{"1 acme spring"}, p.found(former), "it keeps the id that it had")
	p.writes(4, "acme", "spring")
	require.Equal(t, []string{"4 acme spring"}, p.found(of("spring")), "the id names something new")
	require.Equal(t, []string{"1 acme spring", "4 acme spring"}, p.found(former))
	p.rename("spring", "summer")
	require.Equal(t, []string{"1 acme spring"}, p.found(former), "what was removed before does not go along")
	require.Equal(t, []string{"4 acme summer"}, p.found(of("summer")))
	p.remove("summer")
	p.remove("summer")
	require.Equal(t, "2 3", p.shown())
}

func TestARemovedOrganizationTakesItsDocumentsAlong(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	p.writes(1, "acme", "spring")
	p.writes(2, "acme", "")
	p.writes(3, "apex", "spring")
	p.removeOrganization("acme")
	require.Equal(t, "3", p.shown())
	require.Empty(t, p.found(subject.Filter{OrganizationID: "acme"}))
	require.Empty(t, p.found(of("spring")))
	require.Equal(t, []string{"3 apex spring"}, p.found(subject.Filter{DocumentID: "spring"}))
	require.Len(t, p.found(subject.Filter{OrganizationID: "acme", Removed: true}), 2)
	require.Len(t, p.found(subject.Filter{DocumentID: "spring", Removed: true}), 2)
	p.writes(4, "acme", "spring")
	require.Equal(t, []string{"4 acme spring"}, p.found(of("spring")))
	require.Equal(t, "3 4", p.shown())
	p.rename("spring", "summer")
	require.Equal(t, []string{"4 acme summer"}, p.found(of("summer")))
	require.Equal(t, "3 4", p.shown())
}

// Somebody writes about a document while it is removed: what they wrote before the
// commit is removed with it, and what comes later is about something new. Nobody makes
// a subject that the removal does not see.
func TestARemovalIsSeenByWhoMakesTheSubject(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	p.writes(1, "acme", "")
	remover, err := p.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = remover.Rollback(context.Background()) }()
	_, err = remover.Exec(t.Context(), `SELECT remove_subjects($1, subject_key($1, NULL, 'acme'), '{spring}')`, modelstest.Workspace)
	require.NoError(t, err)
	written := make(chan error, 1)
	go func() { written <- p.write(2, "acme", "spring") }()
	modelstest.AwaitWaiting(t, p.db, 1)
	require.NoError(t, remover.Commit(t.Context()))
	require.NoError(t, <-written)
	require.Equal(t, "1 2", p.shown())
	require.Equal(t, []string{"2 acme spring"}, p.found(of("spring")))
}

// To remove an organization touches its own row, however many documents it has.
func TestRemovingAnOrganizationTouchesOneRow(t *testing.T) {
	t.Parallel()
	p := newPapers(t)
	p.writes(1, "acme", "spring")
	_, err := p.db.Pool.Exec(t.Context(), `INSERT INTO subjects (workspace_id, parent_key, id)
SELECT workspace_id, parent_key, 'd' || n FROM subjects, generate_series(1, 10000) n WHERE id = 'spring'`)
	require.NoError(t, err)
	p.removeOrganization("acme")
	var removed int
	require.NoError(t, p.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM subjects WHERE removed_at IS NOT NULL`).Scan(&removed))
	require.Equal(t, 1, removed)
	require.Empty(t, p.shown())
}
