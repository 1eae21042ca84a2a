package annotation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/modelstest"
)

// bytesHold says whether annotations know how much is stored of them with their comments, none of
// which has contacts.
const bytesHold = `
SELECT bool_and(a.thread_bytes = octet_length(concat(a.author, a.agent, a.status, a.location, a.target, a.context, a.priority, a.suggestion, a.assigned))
    + (SELECT sum(octet_length(concat(c.comment_text, c.comment_html, c.context, c.author, c.agent))) FROM comments c WHERE c.annotation_key = a.key))::text
FROM annotations a`

func TestOneAnnotationIdIsAddedOnce(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	refused := 0
	for _, err := range modelstest.ErrorsOf(50, func(i int) error {
		_, err := d.Notes.Add(context.Background(), modelstest.Workspace, annotation.Addition{
			Container: modelstest.In(fmt.Sprintf("d%d", i)), Annotations: []annotation.NewAnnotation{modelstest.Note(fmt.Sprint("other", i), modelstest.Says("ann", "a")), modelstest.Note("same", modelstest.Says("ann", "a"))},
		})
		return err
	}) {
		if err == nil {
			continue
		}
		refused++
		require.True(t, fault.Is(err, fault.StatusAlreadyExists), err)
		require.Equal(t, []string{"same"}, fault.From(err).Details.AnnotationIDs)
	}
	require.Equal(t, 49, refused)
	require.Equal(t, []string{"2"}, d.Rows(`SELECT count(*)::text FROM annotations`), "a refused call leaves no annotation")
	require.Equal(t, []string{"1"}, d.Rows(`SELECT count(*)::text FROM documents`), "and no document")
}

func TestManyAddsMakeOneDocument(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	for _, err := range modelstest.ErrorsOf(50, func(int) error {
		_, err := d.Notes.Add(context.Background(), modelstest.Workspace, annotation.Addition{Container: modelstest.In("d"), Annotations: []annotation.NewAnnotation{modelstest.Note("", modelstest.Says("ann", "a"))}})
		return err
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"1 1 50"}, d.Rows(`SELECT concat_ws(' ', (SELECT count(*) FROM organizations), (SELECT count(*) FROM documents), (SELECT count(*) FROM annotations))`))
}

// Two calls with the same ids in opposite order: one wins whole.
func TestCallsWithTheSameIdsInOppositeOrder(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	for round := range 10 {
		won := 0
		for _, err := range modelstest.ErrorsOf(2, func(i int) error {
			ids := []string{fmt.Sprintf("a%d", round), fmt.Sprintf("b%d", round)}
			_, err := d.Notes.Add(context.Background(), modelstest.Workspace, annotation.Addition{
				Container: modelstest.In("d"), Annotations: []annotation.NewAnnotation{modelstest.Note(ids[i], modelstest.Says("ann", "a")), modelstest.Note(ids[1-i], modelstest.Says("ann", "a"))},
			})
			return err
		}) {
			if err == nil {
				won++
			} else {
				require.True(t, fault.Is(err, fault.StatusAlreadyExists), err)
			}
		}
		require.Equal(t, 1, won)
	}
}

func TestAuthorsMustBeAllowedToWrite(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"))
	viewer := modelstest.Known("vic", "Vic")
	viewer.Role = "viewer"
	d.Adds(modelstest.Acme, viewer)
	d.Exec(`UPDATE organizations SET access = 'organizationPrivate'`)
	add := func(comments ...annotation.NewComment) error {
		_, err := d.Notes.Add(t.Context(), modelstest.Workspace, annotation.Addition{Container: modelstest.In("d"), Verify: true, Annotations: []annotation.NewAnnotation{
			modelstest.Note("", modelstest.Says("ann", "mine")), modelstest.Note("", comments...),
		}})
		return err
	}
	require.NoError(t, add(modelstest.Says("ann", "a")))
	err := add(modelstest.Says("ann", "a", modelstest.Flagged("ann")), modelstest.Says("eve", "b", modelstest.Flagged("ann")), modelstest.Says("vic", "c"), modelstest.Says("eve", "d"))
	require.True(t, fault.Is(err, fault.StatusPermissionDenied))
	require.Equal(t, []fault.DeniedUser{{Index: 1, UserID: "eve"}, {Index: 1, UserID: "vic"}}, fault.From(err).Details.Denied)
	require.Equal(t, []string{"2"}, d.Rows(`SELECT count(*)::text FROM annotations`))
	require.Equal(t, []string{"0"}, d.Rows(`SELECT count(*)::text FROM notifications`))
	d.Exec(`UPDATE grants SET expires_at = clock_timestamp() WHERE user_id = 'ann'`)
	require.True(t, fault.Is(add(modelstest.Says("ann", "a")), fault.StatusPermissionDenied), "from that instant on")
	fresh := annotation.Addition{Container: modelstest.In("fresh"), Verify: true, Annotations: []annotation.NewAnnotation{modelstest.Note("", modelstest.Says("ann", "a"))}}
	_, err = d.Notes.Add(t.Context(), modelstest.Workspace, fresh)
	require.True(t, fault.Is(err, fault.StatusPermissionDenied))
	require.Empty(t, d.Rows(`SELECT document_id FROM documents WHERE document_id = 'fresh'`), "it is not made when the check fails")
}

// The grant nearest to the document counts, through folders of any depth.
func TestGrantsReachThroughFolders(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "a")))
	d.Exec(`INSERT INTO folders (workspace_id, organization_key, folder_id, name, default_access) SELECT $1, key, 'outer', '', 'public' FROM organizations`, modelstest.Workspace)
	d.Exec(`INSERT INTO folders (workspace_id, organization_key, folder_id, name, default_access, parent_key, access)
SELECT $1, organization_key, 'inner', '', 'public', key, 'restricted' FROM folders`, modelstest.Workspace)
	d.Exec(`UPDATE documents SET folder_key = (SELECT key FROM folders WHERE folder_id = 'inner')`)
	d.Adds(modelstest.Acme, modelstest.Known("org", ""))
	d.Adds(directory.Container{OrganizationID: "acme", FolderID: "outer"}, modelstest.Known("outer", ""))
	d.Adds(directory.Container{OrganizationID: "acme", FolderID: "inner"}, modelstest.Known("inner", ""))
	d.Adds(directory.Container{OrganizationID: "acme", DocumentID: "d"}, modelstest.Known("own", ""))
	sees := func() []int64 {
		var totals []int64
		for _, user := range []string{"org", "outer", "inner", "own", "eve"} {
			totals = append(totals, d.Count(user, "d")["d"].Total)
		}
		return totals
	}
	require.Equal(t, []int64{0, 0, 1, 1, 0}, sees(), "restricted at the inner folder")
	d.Exec(`UPDATE folders SET access = NULL`)
	d.Exec(`UPDATE organizations SET access = 'organizationPrivate'`)
	require.Equal(t, []int64{1, 1, 1, 1, 0}, sees())
	d.Exec(`UPDATE documents SET access = 'restricted'`)
	require.Equal(t, []int64{0, 0, 0, 1, 0}, sees())
	d.Exec(`UPDATE documents SET access = 'public'`)
	require.Equal(t, []int64{1, 1, 1, 1, 1}, sees(), "the nearest setting holds")
}

func TestCount_7_UnreadIsWhatOthersWroteAfterTheMark(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	old := int64(1)
	future := int64(253_402_300_799_999)
	at := func(ms *int64) func(*annotation.NewComment) {
		return func(c *annotation.NewComment) { c.CreatedMs = ms }
	}
	d.Add("d",
		modelstest.Note("alone", modelstest.Says("ann", "a")),
		modelstest.Note("answered", modelstest.Says("ann", "a"), modelstest.Says("bob", "b", at(&old))),
		modelstest.Note("answer", modelstest.Says("bob", "a", at(&future)), modelstest.Says("ann", "b"), modelstest.Says("ann", "c")))
	require.Equal(t, view.Count{Total: 3, Unread: 1}, d.Count("ann", "d")["d"], "her own comments mark what came before as read")
	require.Equal(t, view.Count{Total: 3, Unread: 2}, d.Count("bob", "d")["d"])
	require.Equal(t, view.Count{Total: 3, Unread: 3}, d.Count("eve", "d")["d"], "a user never seen")
	require.Empty(t, d.Count("eve", "other"))
	_, counts, err := d.Reads.Count(t.Context(), modelstest.Workspace, view.CountFilter{
		OrganizationID: "acme", DocumentIDs: []string{"d"}, UserID: "eve", StatusIDs: []string{"CLOSED"},
	})
	require.NoError(t, err)
	require.Empty(t, counts)
	_, counts, err = d.Reads.Count(t.Context(), "ws_other", view.CountFilter{OrganizationID: "acme", DocumentIDs: []string{"d"}, UserID: "eve"})
	require.NoError(t, err)
	require.Empty(t, counts, "another workspace's document is unknown")
}

func TestVisibilityOfAnnotations(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("open", modelstest.Says("ann", "a")), modelstest.Restricted(modelstest.Note("some", modelstest.Says("ann", "a"), modelstest.Says("rob", "b")), "bob"), modelstest.Private(modelstest.Note("inside", modelstest.Says("ann", "a")), "partners"))
	for user, want := range map[string]int64{"ann": 3, "bob": 2, "rob": 1, "pat": 1} {
		require.Equal(t, want, d.Count(user, "d")["d"].Total, user)
	}
	d.Adds(directory.Container{OrganizationID: "partners"}, modelstest.Known("pat", "Pat"))
	d.Adds(directory.Container{OrganizationID: "partners", DocumentID: "x"}, modelstest.Known("rob", "Rob"))
	require.Equal(t, int64(2), d.Count("pat", "d")["d"].Total, "a membership acts on the next read")
	require.Equal(t, int64(1), d.Count("rob", "d")["d"].Total, "a grant on a document makes no member")
	seen := func(annotationID string, users ...string) bool {
		page, err := d.Reads.Comments(t.Context(), modelstest.Workspace, view.CommentFilter{
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
	d.Exec(`UPDATE grants SET expires_at = clock_timestamp()`)
	require.False(t, seen("inside", "pat"))
}

// A document that is deleted while comments are added to it takes them along,
// or they find none.
func TestAnnotationsAdd_8_ADocumentIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	add := func(documentID string) error {
		_, err := d.Notes.Add(context.Background(), modelstest.Workspace, annotation.Addition{
			Container: directory.Container{OrganizationID: "acme", DocumentID: documentID}, Annotations: []annotation.NewAnnotation{modelstest.Note("", modelstest.Says("ann", "a"))},
		})
		return err
	}
	const remove = `DELETE FROM documents WHERE workspace_id = $1 AND document_id = $2`
	d.Add("held", modelstest.Note("", modelstest.Says("ann", "a")))
	tx, err := d.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), remove, modelstest.Workspace, "held")
	require.NoError(t, err)
	added := make(chan error, 1)
	go func() { added <- add("held") }()
	modelstest.AwaitWaiting(t, d.DB, 1)
	require.NoError(t, tx.Commit(t.Context()))
	require.True(t, fault.Is(<-added, fault.StatusNotFound))

	for i := range 20 {
		document := fmt.Sprint("d", i)
		d.Add(document, modelstest.Note("", modelstest.Says("ann", "a")))
		errs := modelstest.AtOnce(2, func(caller int) error {
			if caller == 0 {
				_, err := d.DB.Pool.Exec(context.Background(), remove, modelstest.Workspace, document)
				return err
			}
			return add(document)
		})
		require.NoError(t, errs[0])
		if errs[1] != nil {
			require.True(t, fault.Is(errs[1], fault.StatusNotFound), "%v", errs[1])
		}
	}
	var left int
	require.NoError(t, d.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM annotations`).Scan(&left))
	require.Zero(t, left)
}

func TestCommentsGet_5_AThreadOfAThousandIsOnePage(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("long", modelstest.Says("ann", "1")))
	_, err := d.DB.Pool.Exec(t.Context(), `INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html,
text_available, resolver_used, author_id, author, created_ms, updated_ms)
SELECT annotation_key, seq + i, comment_id % 1000000 + i, workspace_id, (1 + i)::text, comment_html, text_available, resolver_used,
       author_id, author, created_ms, updated_ms FROM comments, generate_series(1, 999) i`)
	require.NoError(t, err)
	page, err := d.Reads.Comments(t.Context(), modelstest.Workspace,
		view.CommentFilter{OrganizationID: "acme", DocumentID: "d", AnnotationID: "long"}, nil, 1000)
	require.NoError(t, err)
	require.Len(t, page.Items, 1000)
	require.Nil(t, page.Next)
	for i, c := range page.Items {
		require.Equal(t, strconv.Itoa(i+1), c.Text)
	}
}

// What would be too large is left as it is, and nothing else for that.
func TestAnUpdateLeavesWhatWouldBeTooLarge(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("full", modelstest.Says("ann", strings.Repeat("x", 8<<20-10_000))), modelstest.Note("small", modelstest.Says("ann", "x")))
	own := json.RawMessage(`{"own":"` + strings.Repeat("x", 20_000) + `"}`)
	update := annotation.Update{Container: modelstest.In("d"), Fields: annotation.UpdatedFields{Context: &own}}
	updated, err := d.Notes.Update(t.Context(), modelstest.Workspace, update)
	require.NoError(t, err)
	codes := map[string]string{}
	for _, e := range updated.Entries {
		codes[e.ID] = e.Code
	}
	require.Equal(t, map[string]string{"full": annotation.CodeTooLarge, "small": ""}, codes)
	require.Equal(t, []string{"small"}, d.Rows(`SELECT annotation_id FROM annotations WHERE context IS NOT NULL`))
	require.Equal(t, []string{"true"}, d.Rows(bytesHold))
	none := json.RawMessage("")
	update.Fields.Context = &none
	_, err = d.Notes.Update(t.Context(), modelstest.Workspace, update)
	require.NoError(t, err)
	require.Equal(t, []string{"true"}, d.Rows(bytesHold))
}
