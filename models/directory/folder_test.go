package directory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/modelstest"
)

// cabinet is a store of folders beside one of people.
type cabinet struct {
	*modelstest.People
	*directory.Folders
}

func newCabinet(t *testing.T) *cabinet {
	t.Helper()
	c := modelstest.NewPeople(t)
	return &cabinet{c, directory.NewFolders(c.DB)}
}

// holds adds folders to acme: "a", or "a/b" for b in a.
func (c *cabinet) holds(paths ...string) {
	c.T.Helper()
	entries, err := c.Folders.Add(c.T.Context(), modelstest.Workspace, directory.Container{OrganizationID: "acme", CreateOrganization: true}, foldersOf(paths...))
	for id, code := range c.Codes(entries, err) {
		require.Empty(c.T, code, id)
	}
}

func foldersOf(paths ...string) []directory.NewFolder {
	var folders []directory.NewFolder
	for _, path := range paths {
		f := directory.NewFolder{FolderID: path}
		if parent, id, inside := strings.Cut(path, "/"); inside {
			f.ParentID, f.FolderID = parent, id
		}
		folders = append(folders, f)
	}
	return folders
}

// chain is the path of each folder of a chain of so many.
func chain(prefix string, n int) []string {
	paths := []string{prefix + "1"}
	for i := 2; i <= n; i++ {
		paths = append(paths, fmt.Sprintf("%s%d/%s%d", prefix, i-1, prefix, i))
	}
	return paths
}

// shape is what stands in folders: "a(b c)".
func shape(views []*directory.FolderView) string {
	var all []string
	for _, v := range views {
		text := v.FolderID
		if below := shape(v.SubFolders); below != "" {
			text += "(" + below + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func (c *cabinet) read(folderID string, depth int) []*directory.FolderView {
	c.T.Helper()
	page, err := c.Folders.Get(c.T.Context(), modelstest.Workspace, directory.FolderFilter{OrganizationID: "acme", FolderID: folderID, Depth: depth}, nil, 1000)
	require.NoError(c.T, err)
	require.Nil(c.T, page.Next)
	return page.Items
}

func (c *cabinet) moves(folderID, parentID string) string {
	c.T.Helper()
	entries, err := c.Folders.Update(c.T.Context(), modelstest.Workspace, "acme",
		[]directory.FolderChange{{FolderID: folderID, Moves: true, ParentID: parentID}})
	return c.Codes(entries, err)[folderID]
}

func TestFoldersStandInOneAnother(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("a", "a/b", "b/c", "a/d", "e")
	require.Equal(t, "e a(d b(c))", shape(c.read("", 20)))
	require.Equal(t, "e a(d b)", shape(c.read("", 2)))
	require.Equal(t, "e a", shape(c.read("", 1)))
	require.Equal(t, "b(c)", shape(c.read("b", 2)))
	require.Empty(t, c.read("unknown", 2))
	deepest := c.read("c", 1)[0]
	require.Equal(t, []string{"a", "b"}, deepest.Ancestors)
	require.Equal(t, "b", deepest.ParentID)
	require.Equal(t, "c", deepest.Name, "without a name it has its id for one")

	require.Empty(t, c.moves("b", "e"))
	require.Equal(t, "e(b(c)) a(d)", shape(c.read("", 20)))
	require.Empty(t, c.moves("b", ""))
	require.Equal(t, "e b(c) a(d)", shape(c.read("", 20)))
	for _, refused := range [][2]string{{"b", "b"}, {"b", "c"}} {
		require.Equal(t, directory.CodeCycle, c.moves(refused[0], refused[1]))
	}
	require.Equal(t, directory.CodeNotFound, c.moves("b", "unknown"))
	require.Equal(t, directory.CodeNotFound, c.moves("unknown", ""))
	require.Equal(t, "e b(c) a(d)", shape(c.read("", 20)))
}

func TestFoldersAreAtMostTwentyDeep(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds(chain("a", 20)...)
	c.holds(chain("b", 3)...)
	c.holds("top")
	entries, err := c.Folders.Add(t.Context(), modelstest.Workspace, modelstest.Acme, foldersOf("a20/no", "a19/yes", "no/neither"))
	require.Equal(t, map[string]string{"no": directory.CodeCycle, "yes": "", "neither": directory.CodeNotFound}, c.Codes(entries, err))
	require.Equal(t, directory.CodeCycle, c.moves("b1", "a18"), "what is below it would be too deep")
	require.Empty(t, c.moves("b2", "a18"))
	require.Equal(t, directory.CodeCycle, c.moves("a1", "top"))
	require.Equal(t, "a18(b2(b3) a19(yes a20))", shape(c.read("a18", 20)))
}

// Two changes at one moment never make a circle between them: one is refused.
func TestFoldersUpdate_1_NoCircleOfTwoChanges(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("a", "b")
	for range 20 {
		codes := make([]string, 2)
		for _, err := range modelstest.AtOnce(2, func(i int) error {
			ids := []string{"a", "b"}
			entries, err := c.Folders.Update(t.Context(), modelstest.Workspace, "acme",
				[]directory.FolderChange{{FolderID: ids[i], Moves: true, ParentID: ids[1-i]}})
			if err == nil {
				codes[i] = entries[0].Code
			}
			return err
		}) {
			require.NoError(t, err)
		}
		require.ElementsMatch(t, []string{"", directory.CodeCycle}, codes)
		require.Empty(t, c.moves("a", ""))
		require.Empty(t, c.moves("b", ""))
	}
}

func TestADeletedFolderTakesWhatIsInIt(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("a", "a/b", "b/c", "other")
	for document, folder := range map[string]string{"in a": "a", "in c": "c", "in other": "other", "at the top": ""} {
		c.files(document, folder)
	}
	require.NoError(t, c.Folders.Delete(t.Context(), modelstest.Workspace, "acme", "a"))
	require.Equal(t, "other", shape(c.read("", 20)))
	require.Equal(t, []string{"at the top", "in other"}, c.Rows(`SELECT document_id FROM documents ORDER BY 1`))
	err := c.Folders.Delete(t.Context(), modelstest.Workspace, "acme", "a")
	require.True(t, fault.Is(err, fault.StatusNotFound))
	require.Equal(t, fault.Details{Resource: "folder", ID: "a"}, fault.From(err).Details)
	c.holds("a", "a/c")
	c.files("in a", "a")
	require.Equal(t, "a(c) other", shape(c.read("", 20)), "the ids are free and name something new")
	require.Empty(t, c.moves("a", "other"), "and nothing of the former is met below")
}

// Where a deletion dies with its first commit, the rows of what stood in the folder have their ids until the job comes by. Nobody finds them by these, and
// each id is free: for a document, as the new id of one, and for an annotation.
func TestWhatStoodInADeletedFolderIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	c := &cabinet{s.People, directory.NewFolders(s.DB)}
	c.holds("a", "a/b")
	c.files("d", "b")
	c.files("e", "b")
	c.files("stays", "")
	s.Add("d", modelstest.Note("note", modelstest.Says("ann", "here")))
	knownSubjects(c, "d", "e", "f")
	_, err := c.Folders.Hide(t.Context(), modelstest.Workspace, "acme", "a")
	require.NoError(t, err)
	require.Equal(t, []string{"d", "e", "stays"}, c.Rows(`SELECT document_id FROM document_rows ORDER BY 1`), "the job has not come by")

	page, err := s.documents.Get(t.Context(), modelstest.Workspace, directory.DocumentFilter{OrganizationID: "acme"}, nil, 10)
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	n, err := s.documents.Count(t.Context(), modelstest.Workspace, directory.DocumentFilter{OrganizationID: "acme"})
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Empty(t, s.Count("ann", "d"))
	for id, code := range c.Codes(s.documents.Delete(t.Context(), modelstest.Workspace, "acme", []string{"d", "e"})) {
		require.Equal(t, directory.CodeNotFound, code, id)
	}
	_, err = directory.NewMigrations(c.DB).Migrate(t.Context(), modelstest.Workspace, directory.Pair{OrganizationID: "acme", DocumentID: "stays", NewDocumentID: "e"})
	require.NoError(t, err)
	s.Add("d", modelstest.Note("note", modelstest.Says("ann", "anew")))
	require.Equal(t, view.Count{Total: 1}, s.Count("ann", "d")["d"])
	require.Equal(t, []string{"2"}, c.Rows(`SELECT count(*)::text FROM document_rows WHERE document_id IS NULL`))
	require.Equal(t, []string{"d", "e"}, c.Rows(removedSubjects), "what was about the former documents is hidden before there are others of these ids")
}

const removedSubjects = `SELECT id FROM subjects WHERE parent_key IS NOT NULL AND removed_at IS NOT NULL ORDER BY key`

// knownSubjects makes the subjects of documents of acme.
func knownSubjects(c *cabinet, documents ...string) {
	c.T.Helper()
	for _, id := range documents {
		c.Exec(`SELECT open_subjects($1, 'acme', $2)`, modelstest.Workspace, id)
	}
}

// The ids of documents in a deleted folder are taken in portions, with what is about them; whoever dies between two of them is
// followed by the job, which takes the rest once, beside the call too.
func TestFoldersDelete_FreesDocumentsInPortions(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("a", "a/b", "other")
	for i := range 7 {
		c.files(fmt.Sprint("d", i), "b")
	}
	c.files("kept", "other")
	knownSubjects(c, "d0", "d1", "d2", "d3", "d4", "d5", "d6", "kept", "elsewhere")
	folders, err := c.Folders.Hide(t.Context(), modelstest.Workspace, "acme", "a")
	require.NoError(t, err)
	deleted, of := directory.NewDeleted(c.DB), directory.Removal{Folders: folders}
	n, err := deleted.Free(t.Context(), modelstest.Workspace, of, 3)
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	first := c.Rows(removedSubjects)
	require.Len(t, first, 3)
	knownSubjects(c, first...) // they are about something new
	var freed atomic.Int64
	for _, err := range modelstest.AtOnce(4, func(int) error {
		for {
			n, err := deleted.Free(t.Context(), modelstest.Workspace, of, 2)
			if freed.Add(n); err != nil || n == 0 {
				return err
			}
		}
	}) {
		require.NoError(t, err)
	}
	require.EqualValues(t, 4, freed.Load())
	require.Equal(t, []string{"d0", "d1", "d2", "d3", "d4", "d5", "d6"}, c.Rows(removedSubjects))
	require.ElementsMatch(t, append(first, "elsewhere", "kept"), c.Rows(`SELECT id FROM subjects WHERE parent_key IS NOT NULL AND current`))
	require.Equal(t, []string{"kept"}, c.Rows(`SELECT document_id FROM document_rows WHERE document_id IS NOT NULL`))
}

// wide makes a folder in which stand more than one transaction deletes, each with another one in it that has a document.
func (c *cabinet) wide(n int) {
	c.T.Helper()
	c.holds("wide", "other")
	c.Exec(`WITH top AS (SELECT * FROM folders WHERE folder_id = 'wide'), outer_ones AS (
    INSERT INTO folders (workspace_id, organization_key, folder_id, parent_key, name, default_access)
    SELECT workspace_id, organization_key, 'outer' || n, key, 'n', 'public' FROM top, generate_series(1, $1) n RETURNING *)
INSERT INTO folders (workspace_id, organization_key, folder_id, parent_key, name, default_access)
SELECT workspace_id, organization_key, replace(folder_id, 'outer', 'inner'), key, 'n', 'public' FROM outer_ones`, n)
	c.Exec(`INSERT INTO documents (workspace_id, organization_key, document_id, folder_key, name, default_access)
SELECT workspace_id, organization_key, 'of ' || folder_id, key, 'd', 'public' FROM folders WHERE folder_id LIKE 'inner1%' OR folder_id = 'other'`)
}

const foldersThere = `SELECT count(*)::text FROM folders WHERE folder_id IS NOT NULL`

func TestFoldersDelete_ManyFoldersGoInPortions(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.wide(directory.HiddenAtOnce)
	require.NoError(t, c.Folders.Delete(t.Context(), modelstest.Workspace, "acme", "wide"))
	for deleted, more := directory.NewDeleted(c.DB), true; more; { // a slow machine leaves some to the job
		more = false
		for _, of := range c.Rows(`SELECT input::text FROM jobs WHERE kind = 'removal'`) {
			var removal directory.Removal
			require.NoError(t, json.Unmarshal([]byte(of), &removal))
			require.LessOrEqual(t, len(removal.Folders), directory.HiddenAtOnce)
			n, err := deleted.Free(t.Context(), modelstest.Workspace, removal, 1000)
			require.NoError(t, err)
			more = more || n > 0
		}
	}
	require.Equal(t, "other", shape(c.read("", 20)))
	require.Equal(t, []string{"1"}, c.Rows(foldersThere))
	require.Equal(t, []string{"of other"}, c.Rows(`SELECT document_id FROM document_rows WHERE document_id IS NOT NULL`))
}

// Whoever dies before the first portion has promised all of them. Until the last one the folder is there, with what is left.
func TestFoldersDelete_TheJobDeletesManyFolders(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.wide(directory.HiddenAtOnce)
	hidden, err := c.Folders.Hide(t.Context(), modelstest.Workspace, "acme", "wide")
	require.NoError(t, err)
	require.Empty(t, hidden)
	deleted, of := directory.NewDeleted(c.DB), directory.Removal{Tree: keysOf(c, `SELECT key::text FROM folders WHERE folder_id = 'wide'`)[0]}
	portions := 0
	for left := int64(2*directory.HiddenAtOnce + 1); left > 0; portions++ {
		n, err := deleted.Free(t.Context(), modelstest.Workspace, of, 1000)
		require.NoError(t, err)
		left -= n
		require.Equal(t, []string{strconv.FormatInt(left+1, 10)}, c.Rows(foldersThere))
		require.Equal(t, []string{map[bool]string{true: "1", false: "0"}[left > 0]}, c.Rows(`SELECT count(*)::text FROM folders WHERE folder_id = 'wide'`))
	}
	require.Greater(t, portions, 1)
	n, err := deleted.Free(t.Context(), modelstest.Workspace, of, 1000)
	require.NoError(t, err)
	require.Zero(t, n)
	require.Empty(t, c.Rows(`SELECT f.folder_id FROM folders f JOIN folders p ON p.key = f.parent_key WHERE f.folder_id IS NOT NULL AND p.folder_id IS NULL`))
}

// newHeld is a cabinet with the document d in the folder a, and a writer who holds the document.
func newHeld(t *testing.T) (*cabinet, pgx.Tx) {
	t.Helper()
	c := newCabinet(t)
	c.holds("a")
	c.files("d", "a")
	tx, err := c.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM documents WHERE document_id = 'd' FOR KEY SHARE`)
	require.NoError(t, err)
	return c, tx
}

// Somebody who holds a document may be making its subject: it is not there after the deletion either.
func TestFoldersDelete_HidesWhatAWriterIsAbout(t *testing.T) {
	t.Parallel()
	c, tx := newHeld(t)
	_, err := tx.Exec(t.Context(), `SELECT open_subjects($1, 'acme', 'd')`, modelstest.Workspace)
	require.NoError(t, err)
	deleted := make(chan error, 1)
	go func() { deleted <- c.Folders.Delete(t.Context(), modelstest.Workspace, "acme", "a") }()
	modelstest.AwaitWaiting(t, c.DB, 1)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-deleted)
	require.Equal(t, []string{"d"}, c.Rows(removedSubjects))
}

// files adds a document to acme, in a folder or at the top.
func (c *cabinet) files(documentID, folderID string) {
	c.T.Helper()
	c.Adds(directory.Container{OrganizationID: "acme", DocumentID: documentID}, modelstest.Known("filer", "Filer"))
	c.Exec(`UPDATE documents d SET folder_key = (SELECT f.key FROM folders f WHERE f.organization_key = d.organization_key AND f.folder_id = $2)
WHERE d.document_id = $1`, documentID, folderID)
}

// Who is about to put a document into a folder holds it FOR KEY SHARE: a deletion
// waits and takes the document with it.
func TestFoldersDelete_4_TakesWhatIsMovedIntoItMeanwhile(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("a", "a/b")
	c.files("d", "")
	tx, err := c.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM folders WHERE folder_id = 'b' FOR KEY SHARE`)
	require.NoError(t, err)
	deleted := make(chan error, 1)
	go func() { deleted <- c.Folders.Delete(t.Context(), modelstest.Workspace, "acme", "a") }()
	modelstest.AwaitWaiting(t, c.DB, 1)
	_, err = tx.Exec(t.Context(), `UPDATE documents SET folder_key = (SELECT key FROM folders WHERE folder_id = 'b')`)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-deleted)
	require.Equal(t, []string{"0"}, c.Rows(`SELECT count(*)::text FROM documents`))
}

// A writer that holds a document does not keep its folder from going.
func TestFoldersDelete_WaitsForNoWriter(t *testing.T) {
	t.Parallel()
	c, tx := newHeld(t)
	defer func() { _ = tx.Rollback(t.Context()) }()
	require.NoError(t, c.Folders.Delete(t.Context(), modelstest.Workspace, "acme", "a"))
}

func TestPagesOfFoldersEndWhereAnAnswerIsFull(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("seed")
	c.Exec(`INSERT INTO folders (workspace_id, organization_key, folder_id, name, default_access)
SELECT workspace_id, organization_key, 'top' || n, 'Top', 'public' FROM folders, generate_series(1, 30) AS n`)
	c.Exec(`INSERT INTO folders (workspace_id, organization_key, parent_key, folder_id, name, default_access)
SELECT workspace_id, organization_key, key, folder_id || '-' || n, repeat('🧾', 200), 'public'
FROM folders, generate_series(1, 300) AS n WHERE folder_id LIKE 'top%'`)
	var tops []string
	var after *directory.FolderPosition
	pages := 0
	for next := true; next; next = after != nil {
		page, err := c.Folders.Get(t.Context(), modelstest.Workspace, directory.FolderFilter{OrganizationID: "acme", Depth: 2}, after, 1000)
		require.NoError(t, err)
		for _, v := range page.Items {
			tops = append(tops, v.FolderID)
			if v.FolderID != "seed" {
				require.Len(t, v.SubFolders, 300, v.FolderID)
			}
		}
		after = page.Next
		pages++
	}
	require.Len(t, tops, 31)
	require.Equal(t, "seed", tops[30])
	require.Equal(t, 2, pages, "9,000 folders of some 1,100 bytes")
}

// An answer has no more folders than it takes, and no more are read: a page has fewer of the first level, and where more stand in
// one alone fewer levels must be asked for.
func TestNoMoreFoldersAreReadThanAnAnswerTakes(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("full", "after")
	c.Exec(`INSERT INTO folders (workspace_id, organization_key, folder_id, parent_key, name, default_access)
SELECT workspace_id, organization_key, 'in ' || n, key, 'n', 'public' FROM folders, generate_series(1, $1::int) n WHERE folder_id = 'full'`, directory.MostFolders)
	get := func(folderID string, depth int, after *directory.FolderPosition) (*directory.FolderPage, error) {
		return c.Folders.Get(t.Context(), modelstest.Workspace, directory.FolderFilter{OrganizationID: "acme", FolderID: folderID, Depth: depth}, after, 1000)
	}
	first, err := get("", 2, nil)
	require.NoError(t, err)
	require.Equal(t, "after", shape(first.Items), "the page ends before what would be too much with it")
	for _, tooMuch := range []struct {
		folderID string
		after    *directory.FolderPosition
	}{{"", first.Next}, {"full", nil}} {
		_, err = get(tooMuch.folderID, 2, tooMuch.after)
		require.True(t, fault.Is(err, fault.StatusInvalidArgument), "%v", err)
		require.Equal(t, []string{"maxDepth"}, fault.From(err).Issues[0].Path)
		page, err := get(tooMuch.folderID, 1, tooMuch.after)
		require.NoError(t, err)
		require.Equal(t, "full", shape(page.Items))
	}
	require.Equal(t, "after full", shape(c.read("", 1)))
	c.Exec(`DELETE FROM folders WHERE folder_id LIKE 'in %' AND key % 3 = 0`)
	c.Exec(`UPDATE folders SET name = repeat('🧾', 200) WHERE folder_id LIKE 'in %'`)
	_, err = get("full", 2, nil)
	require.True(t, fault.Is(err, fault.StatusInvalidArgument), "fewer have more bytes than an answer takes")
}

// A folder that moves no deeper takes along whatever stands in it without a look at that.
func TestFoldersThatMoveNoDeeperAreNotWalked(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds(append(chain("c", directory.MaxFolderDepth), "a", "a/b")...)
	c.holds("other")
	require.Equal(t, directory.CodeCycle, c.moves("c1", "other"), "21 folders")
	require.Empty(t, c.moves("c2", ""))
	require.Equal(t, directory.CodeCycle, c.moves("c2", "b"))
	require.Equal(t, directory.CodeCycle, c.moves("c2", "c3"))
	require.Empty(t, c.moves("c2", "other"))
	require.Empty(t, c.moves("c2", "c1"), "to another place as deep")
	require.Equal(t, directory.CodeCycle, c.moves("c2", "b"))
}

// A folder may hold any number of documents. While it is deleted with them nobody of another
// workspace waits, and from the commit on nobody finds one of them.
func TestLong_AFolderGoesWithManyDocuments(t *testing.T) {
	c := newCabinet(t)
	c.holds("many")
	c.Exec(`INSERT INTO documents (workspace_id, organization_key, document_id, folder_key, name, default_access)
		SELECT f.workspace_id, f.organization_key, 'd' || n, f.key, 'd', 'public' FROM folders f, generate_series(1, 100000) n WHERE f.folder_id = 'many'`)
	c.Exec(`INSERT INTO subjects (workspace_id, id) VALUES ($1, 'acme')`, modelstest.Workspace)
	c.Exec(`INSERT INTO subjects (workspace_id, parent_key, id) SELECT s.workspace_id, s.key, 'd' || n FROM subjects s, generate_series(1, 100000) n`)
	c.Exec(`INSERT INTO workspaces SELECT (jsonb_populate_record(w, jsonb_build_object('id', 'ws_other', 'name_key', 'other', 'token_mac', '\x' || repeat('ab', 32)))).* FROM workspaces w WHERE id = $1`, modelstest.Workspace)
	began, deleted := time.Now(), make(chan error, 1)
	go func() { deleted <- c.Folders.Delete(context.Background(), modelstest.Workspace, "acme", "many") }()
	other := directory.Container{OrganizationID: "acme", CreateOrganization: true}
	for others, going := 0, true; going; others++ {
		select {
		case err := <-deleted:
			require.NoError(t, err)
			t.Logf("deleted in %s, beside %d adds of another workspace", time.Since(began), others)
			going = false
		default:
			_, err := c.Folders.Add(t.Context(), "ws_other", other, foldersOf(fmt.Sprint("f", others)))
			require.NoError(t, err)
		}
	}
	require.Equal(t, []string{"0"}, c.Rows(`SELECT count(*)::text FROM documents`))
	of := directory.Removal{Folders: keysOf(c, `SELECT key::text FROM folders WHERE folder_id IS NULL`)}
	left := int64(0)
	for freed := int64(1); freed > 0; left += freed { // a slow machine leaves some of them to the job
		var err error
		freed, err = directory.NewDeleted(c.DB).Free(t.Context(), modelstest.Workspace, of, 1000)
		require.NoError(t, err)
	}
	t.Logf("%d documents are left to the job", left)
	require.Equal(t, []string{"100000"}, c.Rows(`SELECT count(*)::text FROM subjects WHERE removed_at IS NOT NULL`), "of those that are known")
}

func keysOf(c *cabinet, query string) (keys []int64) {
	c.T.Helper()
	for _, text := range c.Rows(query) {
		key, err := strconv.ParseInt(text, 10, 64)
		require.NoError(c.T, err)
		keys = append(keys, key)
	}
	return keys
}
