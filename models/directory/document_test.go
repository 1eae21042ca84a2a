package directory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/modelstest"
)

// shelf is a store of documents beside those of organizations, people and
// annotations.
type shelf struct {
	*modelstest.Annotations
	organizations *directory.Organizations
	documents     *directory.Documents
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	d := modelstest.NewAnnotations(t)
	return &shelf{d, directory.NewOrganizations(d.DB), directory.NewDocuments(d.DB)}
}

// named are documents of these ids.
func named(ids ...string) []directory.Properties {
	all := make([]directory.Properties, len(ids))
	for i, id := range ids {
		all[i].ID = id
	}
	return all
}

func (s *shelf) adds(c directory.Container, ids ...string) {
	s.T.Helper()
	c.OrganizationID, c.CreateOrganization, c.CreateFolder = "acme", true, true
	for id, code := range s.Codes(s.documents.Add(s.T.Context(), modelstest.Workspace, c, named(ids...))) {
		require.Empty(s.T, code, id)
	}
}

// holding runs fn while a transaction of another is open that ran the statements,
// and commits that once so many wait for it.
func (s *shelf) holding(waiting int, statements []string, fn func(ctx context.Context) error) error {
	s.T.Helper()
	tx, err := s.DB.Pool.Begin(s.T.Context())
	require.NoError(s.T, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(s.T.Context())) }()
	for _, statement := range statements {
		_, err = tx.Exec(s.T.Context(), statement)
		require.NoError(s.T, err)
	}
	done := make(chan error, 1)
	go func() { done <- fn(s.T.Context()) }()
	if waiting == 0 {
		return <-done
	}
	modelstest.AwaitWaiting(s.T, s.DB, waiting)
	require.NoError(s.T, tx.Commit(s.T.Context()))
	return <-done
}

// What is in an organization or a document is not touched when that is deleted, so it
// costs the same whatever is there: here nobody could read any of it meanwhile.
func TestDelete_2and4_ReadsNothingOfWhatIsInside(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.Add("d", modelstest.Note("a", modelstest.Says("ann", "a")))
	s.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"))
	inside := `LOCK TABLE annotations, comments, read_marks, document_read_marks, activities, notifications, grants, profiles, user_groups, user_group_members IN ACCESS EXCLUSIVE MODE`
	require.NoError(t, s.holding(0, []string{inside}, func(ctx context.Context) error {
		_, err := s.documents.Delete(ctx, modelstest.Workspace, "acme", []string{"d"})
		return err
	}))
	require.NoError(t, s.holding(0, []string{inside, `LOCK TABLE document_rows, folders IN ACCESS EXCLUSIVE MODE`}, func(ctx context.Context) error {
		_, err := s.organizations.Delete(ctx, modelstest.Workspace, []string{"acme"})
		return err
	}))
	require.Equal(t, []string{"0"}, s.Rows(`SELECT count(*)::text FROM organizations WHERE organization_id IS NOT NULL`))
	require.Equal(t, []string{"0"}, s.Rows(`SELECT count(*)::text FROM documents`))
}

// Whoever writes into an organization or a document and whoever deletes it do not wait
// for each other: what is written goes with it.
func TestOrganizationsDelete_4_AWriteThatIsUnderWayGoesWithIt(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.adds(directory.Container{}, "d")
	begun := []string{
		`SELECT FROM organizations WHERE organization_id = 'acme' FOR KEY SHARE`,
		`SELECT FROM documents WHERE document_id = 'd' FOR KEY SHARE`,
	}
	require.NoError(t, s.holding(0, begun, func(ctx context.Context) error {
		if _, err := s.documents.Delete(ctx, modelstest.Workspace, "acme", []string{"d"}); err != nil {
			return err
		}
		_, err := s.organizations.Delete(ctx, modelstest.Workspace, []string{"acme"})
		return err
	}))
	_, err := s.documents.Add(t.Context(), modelstest.Workspace, modelstest.Acme, named("d"))
	require.True(t, fault.Is(err, fault.StatusNotFound))
}

// An author joins the organization that has the id at that moment, not one that was
// deleted while the call waited for it.
func TestAuthorsJoinTheOrganizationThatIsThere(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.Exec(`UPDATE workspaces SET auto_members = true`)
	s.Adds(modelstest.Acme, modelstest.Known("bob", "Bob"))
	require.NoError(t, s.holding(1, []string{`UPDATE organizations SET organization_id = NULL WHERE organization_id = 'acme'`}, func(ctx context.Context) error {
		_, err := s.Notes.Add(ctx, modelstest.Workspace, annotation.Addition{
			Container: modelstest.In("d"), Annotations: []annotation.NewAnnotation{modelstest.Note("a", modelstest.Says("ann", "a"))},
		})
		return err
	}))
	require.Equal(t, []string{"acme ann"}, s.Rows(`
SELECT o.organization_id || ' ' || g.user_id FROM grants g JOIN organizations o ON o.key = g.organization_key WHERE o.organization_id IS NOT NULL`))
	require.Equal(t, view.Count{Total: 1}, s.Count("ann", "d")["d"])
}

// Whoever puts documents into a folder waits for whoever deletes it, and finds no
// folder then.
func TestMove_AFolderThatIsBeingDeletedTakesNoMoreDocuments(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.adds(directory.Container{}, "d")
	s.adds(directory.Container{FolderID: "f"}, "inside")
	deleted := []string{
		`SELECT FROM organizations WHERE organization_id = 'acme' FOR NO KEY UPDATE`,
		`UPDATE folders SET folder_id = NULL WHERE folder_id = 'f'`,
		`UPDATE documents SET document_id = NULL WHERE document_id = 'inside'`,
	}
	err := s.holding(2, deleted, func(ctx context.Context) error {
		added := make(chan error, 1)
		go func() {
			_, err := s.documents.Add(ctx, modelstest.Workspace, directory.Container{OrganizationID: "acme", FolderID: "f"}, named("new"))
			added <- err
		}()
		err := s.documents.Move(ctx, modelstest.Workspace, "acme", "f", []string{"d"})
		if second := <-added; !fault.Is(second, fault.StatusNotFound) {
			return fmt.Errorf("an add into it: %w", second)
		}
		return err
	})
	require.True(t, fault.Is(err, fault.StatusNotFound), "%v", err)
	require.Equal(t, "folder", fault.From(err).Details.Resource)
	require.Equal(t, []string{"d"}, s.Rows(`SELECT document_id FROM documents WHERE folder_key IS NULL`))
	require.Equal(t, []string{"1"}, s.Rows(`SELECT count(*)::text FROM document_rows WHERE folder_key IS NOT NULL`), "only what went with it")
}

// A move waits for the delete of a document and finds it gone.
func TestMove_ADocumentThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.adds(directory.Container{FolderID: "f"}, "a", "b")
	err := s.holding(1, []string{`UPDATE documents SET document_id = NULL WHERE document_id = 'b'`}, func(ctx context.Context) error {
		return s.documents.Move(ctx, modelstest.Workspace, "acme", directory.TopFolder, []string{"a", "b"})
	})
	require.Equal(t, []string{"b"}, fault.From(err).Details.DocumentIDs)
	require.Equal(t, []string{"2"}, s.Rows(`SELECT count(*)::text FROM document_rows WHERE folder_key IS NOT NULL`), "none was moved")
}

// Adds of the same documents in opposite order, updates, moves and deletes of them
// side by side wait for one another and do not deadlock.
func TestDocumentsChangeSideBySide(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	forth, back := make([]string, 30), make([]string, 30)
	for i := range forth {
		forth[i] = fmt.Sprintf("d%02d", i)
		back[len(back)-1-i] = forth[i]
	}
	s.adds(directory.Container{FolderID: "f"}, forth...)
	ctx := t.Context()
	calls := []func(ids []string) error{
		func(ids []string) error {
			_, err := s.documents.Add(ctx, modelstest.Workspace, modelstest.Acme, named(ids...))
			return err
		},
		func(ids []string) error {
			_, err := s.documents.Update(ctx, modelstest.Workspace, "acme", named(ids...))
			return err
		},
		func(ids []string) error {
			err := s.documents.Move(ctx, modelstest.Workspace, "acme", "f", ids)
			if fault.Is(err, fault.StatusNotFound) {
				return nil
			}
			return err
		},
		func(ids []string) error {
			_, err := s.documents.Delete(ctx, modelstest.Workspace, "acme", ids[:20])
			return err
		},
	}
	for range 10 {
		for _, err := range modelstest.ErrorsOf(16, func(i int) error {
			return calls[i%len(calls)]([][]string{forth, back}[i/len(calls)%2])
		}) {
			require.NoError(t, err)
		}
	}
	s.adds(directory.Container{}, "last")
	require.Equal(t, []string{"last"}, s.Rows(`SELECT document_id FROM documents WHERE document_id NOT LIKE 'd__'`))
}
