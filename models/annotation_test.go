package models_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models"
)

func TestOneAnnotationIdIsAddedOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	refused := 0
	for _, err := range errorsOf(50, func(i int) error {
		_, err := d.notes.Add(context.Background(), workspace, models.AnnotationsAdd{
			Container: in(fmt.Sprintf("d%d", i)), Annotations: []models.NewAnnotation{note(fmt.Sprint("other", i), says("ann", "a")), note("same", says("ann", "a"))},
		})
		return err
	}) {
		if err == nil {
			continue
		}
		refused++
		require.True(t, fault.Is(err, fault.AlreadyExists), err)
		require.Equal(t, []string{"same"}, fault.From(err).Details.AnnotationIDs)
	}
	require.Equal(t, 49, refused)
	require.Equal(t, []string{"2"}, d.rows(`SELECT count(*)::text FROM annotations`), "a refused call leaves no annotation")
	require.Equal(t, []string{"1"}, d.rows(`SELECT count(*)::text FROM documents`), "and no document")
}

func TestManyAddsMakeOneDocument(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, err := range errorsOf(50, func(int) error {
		_, err := d.notes.Add(context.Background(), workspace, models.AnnotationsAdd{Container: in("d"), Annotations: []models.NewAnnotation{note("", says("ann", "a"))}})
		return err
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"1 1 50"}, d.rows(`SELECT concat_ws(' ', (SELECT count(*) FROM organizations), (SELECT count(*) FROM documents), (SELECT count(*) FROM annotations))`))
}

// Two calls with the same ids in opposite order: one wins whole.
func TestCallsWithTheSameIdsInOppositeOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for round := range 10 {
		won := 0
		for _, err := range errorsOf(2, func(i int) error {
			ids := []string{fmt.Sprintf("a%d", round), fmt.Sprintf("b%d", round)}
			_, err := d.notes.Add(context.Background(), workspace, models.AnnotationsAdd{
				Container: in("d"), Annotations: []models.NewAnnotation{note(ids[i], says("ann", "a")), note(ids[1-i], says("ann", "a"))},
			})
			return err
		}) {
			if err == nil {
				won++
			} else {
				require.True(t, fault.Is(err, fault.AlreadyExists), err)
			}
		}
		require.Equal(t, 1, won)
	}
}

func TestAuthorsMustBeAllowedToWrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.adds(acme, known("ann", "Ann"))
	viewer := known("vic", "Vic")
	viewer.Role = "viewer"
	d.adds(acme, viewer)
	d.exec(`UPDATE organizations SET access = 'organizationPrivate'`)
	add := func(comments ...models.NewComment) error {
		_, err := d.notes.Add(t.Context(), workspace, models.AnnotationsAdd{Container: in("d"), Verify: true, Annotations: []models.NewAnnotation{
			note("", says("ann", "mine")), note("", comments...),
		}})
		return err
	}
	require.NoError(t, add(says("ann", "a")))
	err := add(says("ann", "a", flagged("ann")), says("eve", "b", flagged("ann")), says("vic", "c"), says("eve", "d"))
	require.True(t, fault.Is(err, fault.PermissionDenied))
	require.Equal(t, []fault.DeniedUser{{Index: 1, UserID: "eve"}, {Index: 1, UserID: "vic"}}, fault.From(err).Details.Denied)
	require.Equal(t, []string{"2"}, d.rows(`SELECT count(*)::text FROM annotations`))
	require.Equal(t, []string{"0"}, d.rows(`SELECT count(*)::text FROM notifications`))
	d.exec(`UPDATE grants SET expires_at = clock_timestamp() WHERE user_id = 'ann'`)
	require.True(t, fault.Is(add(says("ann", "a")), fault.PermissionDenied), "from that instant on")
	fresh := models.AnnotationsAdd{Container: in("fresh"), Verify: true, Annotations: []models.NewAnnotation{note("", says("ann", "a"))}}
	_, err = d.notes.Add(t.Context(), workspace, fresh)
	require.True(t, fault.Is(err, fault.PermissionDenied))
	require.Empty(t, d.rows(`SELECT document_id FROM documents WHERE document_id = 'fresh'`), "it is not made when the check fails")
}

// The grant nearest to the document counts, through folders of any depth.
func TestGrantsReachThroughFolders(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("d", note("a", says("ann", "a")))
	d.exec(`INSERT INTO folders (workspace_id, organization_key, folder_id, name, default_access) SELECT $1, key, 'outer', '', 'public' FROM organizations`, workspace)
	d.exec(`INSERT INTO folders (workspace_id, organization_key, folder_id, name, default_access, parent_key, access)
SELECT $1, organization_key, 'inner', '', 'public', key, 'restricted' FROM folders`, workspace)
	d.exec(`UPDATE documents SET folder_key = (SELECT key FROM folders WHERE folder_id = 'inner')`)
	d.adds(acme, known("org", ""))
	d.adds(models.Container{OrganizationID: "acme", FolderID: "outer"}, known("outer", ""))
	d.adds(models.Container{OrganizationID: "acme", FolderID: "inner"}, known("inner", ""))
	d.adds(models.Container{OrganizationID: "acme", DocumentID: "d"}, known("own", ""))
	sees := func() []int64 {
		var totals []int64
		for _, user := range []string{"org", "outer", "inner", "own", "eve"} {
			totals = append(totals, d.count(user, "d")["d"].Total)
		}
		return totals
	}
	require.Equal(t, []int64{0, 0, 1, 1, 0}, sees(), "restricted at the inner folder")
	d.exec(`UPDATE folders SET access = NULL`)
	d.exec(`UPDATE organizations SET access = 'organizationPrivate'`)
	require.Equal(t, []int64{1, 1, 1, 1, 0}, sees())
	d.exec(`UPDATE documents SET access = 'restricted'`)
	require.Equal(t, []int64{0, 0, 0, 1, 0}, sees())
	d.exec(`UPDATE documents SET access = 'public'`)
	require.Equal(t, []int64{1, 1, 1, 1, 1}, sees(), "the nearest setting holds")
}

func TestCount_7_UnreadIsWhatOthersWroteAfterTheMark(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	old := int64(1)
	future := int64(253_402_300_799_999)
	at := func(ms *int64) func(*models.NewComment) { return func(c *models.NewComment) { c.CreatedMs = ms } }
	d.add("d",
		note("alone", says("ann", "a")),
		note("answered", says("ann", "a"), says("bob", "b", at(&old))),
		note("answer", says("bob", "a", at(&future)), says("ann", "b"), says("ann", "c")))
	require.Equal(t, models.Count{Total: 3, Unread: 1}, d.count("ann", "d")["d"], "her own comments mark what came before as read")
	require.Equal(t, models.Count{Total: 3, Unread: 2}, d.count("bob", "d")["d"])
	require.Equal(t, models.Count{Total: 3, Unread: 3}, d.count("eve", "d")["d"], "a user never seen")
	require.Empty(t, d.count("eve", "other"))
	_, counts, err := d.notes.Count(t.Context(), workspace, models.CountFilter{
		OrganizationID: "acme", DocumentIDs: []string{"d"}, UserID: "eve", StatusIDs: []string{"CLOSED"},
	})
	require.NoError(t, err)
	require.Empty(t, counts)
	_, counts, err = d.notes.Count(t.Context(), "ws_other", models.CountFilter{OrganizationID: "acme", DocumentIDs: []string{"d"}, UserID: "eve"})
	require.NoError(t, err)
	require.Empty(t, counts, "another workspace's document is unknown")
}

func TestVisibilityOfAnnotations(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("d", note("open", says("ann", "a")), restricted(note("some", says("ann", "a"), says("rob", "b")), "bob"), private(note("inside", says("ann", "a")), "partners"))
	for user, want := range map[string]int64{"ann": 3, "bob": 2, "rob": 1, "pat": 1} {
		require.Equal(t, want, d.count(user, "d")["d"].Total, user)
	}
	d.adds(models.Container{OrganizationID: "partners"}, known("pat", "Pat"))
	d.adds(models.Container{OrganizationID: "partners", DocumentID: "x"}, known("rob", "Rob"))
	require.Equal(t, int64(2), d.count("pat", "d")["d"].Total, "a membership acts on the next read")
	require.Equal(t, int64(1), d.count("rob", "d")["d"].Total, "a grant on a document makes no member")
	seen := func(annotationID string, users ...string) bool {
		page, err := d.notes.Comments(t.Context(), workspace, models.CommentFilter{
			OrganizationID: "acme", DocumentID: "d", AnnotationID: annotationID, Users: users,
		}, nil, 10)
		require.NoError(t, err)
		return page != nil
	}
	require.False(t, seen("some", "rob"), "also where rob replied")
	require.True(t, seen("some", "rob", "bob"))
	require.True(t, seen("some"))
	require.True(t, seen("inside", "pat"))
	require.False(t, seen("inside", "bob"))
	require.False(t, seen("unknown"))
	d.exec(`UPDATE grants SET expires_at = clock_timestamp()`)
	require.False(t, seen("inside", "pat"))
}

// A document that is deleted while comments are added to it takes them along,
// or they find none.
func TestAnnotationsAdd_8_ADocumentIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	add := func(documentID string) error {
		_, err := d.notes.Add(context.Background(), workspace, models.AnnotationsAdd{
			Container: models.Container{OrganizationID: "acme", DocumentID: documentID}, Annotations: []models.NewAnnotation{note("", says("ann", "a"))},
		})
		return err
	}
	const remove = `DELETE FROM documents WHERE workspace_id = $1 AND document_id = $2`
	d.add("held", note("", says("ann", "a")))
	tx, err := d.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), remove, workspace, "held")
	require.NoError(t, err)
	added := make(chan error, 1)
	go func() { added <- add("held") }()
	awaitWaiting(t, d.db, 1)
	require.NoError(t, tx.Commit(t.Context()))
	require.True(t, fault.Is(<-added, fault.NotFound))

	for i := range 20 {
		document := fmt.Sprint("d", i)
		d.add(document, note("", says("ann", "a")))
		errs := atOnce(2, func(caller int) error {
			if caller == 0 {
				_, err := d.db.Pool.Exec(context.Background(), remove, workspace, document)
				return err
			}
			return add(document)
		})
		require.NoError(t, errs[0])
		if errs[1] != nil {
			require.True(t, fault.Is(errs[1], fault.NotFound), "%v", errs[1])
		}
	}
	var left int
	require.NoError(t, d.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM annotations`).Scan(&left))
	require.Zero(t, left)
}

func TestCommentsGet_5_AThreadOfAThousandIsOnePage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("d", note("long", says("ann", "1")))
	_, err := d.db.Pool.Exec(t.Context(), `INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html,
text_available, resolver_used, author_id, author, created_ms, updated_ms)
SELECT annotation_key, seq + i, comment_id % 1000000 + i, workspace_id, (1 + i)::text, comment_html, text_available, resolver_used,
       author_id, author, created_ms, updated_ms FROM comments, generate_series(1, 999) i`)
	require.NoError(t, err)
	page, err := d.notes.Comments(t.Context(), workspace,
		models.CommentFilter{OrganizationID: "acme", DocumentID: "d", AnnotationID: "long"}, nil, 1000)
	require.NoError(t, err)
	require.Len(t, page.Items, 1000)
	require.Nil(t, page.Next)
	for i, c := range page.Items {
		require.Equal(t, strconv.Itoa(i+1), c.Text)
	}
}
