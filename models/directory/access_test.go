package directory_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/access"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/modelstest"
)

// may returns what a user may do with a document of acme: "read", "write" or nothing.
func (c *cabinet) may(user, documentID string) string {
	c.T.Helper()
	var organization, document int64
	require.NoError(c.T, c.DB.Pool.QueryRow(c.T.Context(), `SELECT organization_key, key FROM documents WHERE document_id = $1`, documentID).
		Scan(&organization, &document))
	known, err := directory.ReadAccess(c.T.Context(), c.DB.Pool, organization, []int64{document}, []string{user})
	require.NoError(c.T, err)
	return map[access.Decision]string{{}: "", {Read: true}: "read", {Read: true, Write: true}: "write"}[known.Decide(document, user)]
}

// grants gives a user roles: "editor of f" for a folder, "viewer of acme", "editor of
// d" for a document.
func (c *cabinet) grants(user string, roles ...string) {
	c.T.Helper()
	var permissions []directory.Permission
	for _, text := range roles {
		role, id, _ := strings.Cut(text, " of ")
		kind := directory.ResourceFolder
		switch id {
		case "acme":
			kind = directory.ResourceOrganization
		case "d":
			kind = directory.ResourceDocument
		default:
		}
		permissions = append(permissions, directory.Permission{Resource: directory.Resource{Type: kind, OrganizationID: "acme", ID: id}, Role: role})
	}
	require.NoError(c.T, directory.NewPermissions(c.DB).Add(c.T.Context(), modelstest.Workspace, user, permissions))
}

// sets gives the organization, a folder or a document an access setting of its own.
func (c *cabinet) sets(what, id, access string) {
	c.T.Helper()
	c.Exec(fmt.Sprintf(`UPDATE %[1]ss SET access = nullif($2, '') WHERE %[1]s_id = $1`, what), id, access)
}

// The table of access, of a document d in f in e in acme.
func TestTheTableOfAccess(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("e", "e/f", "elsewhere")
	c.files("d", "f")
	for i, row := range []struct {
		name, of, id, access string
		roles                []string
		want                 string
	}{
		{"1 public", "organization", "acme", "public", nil, "write"},
		{"2 nearest is viewer", "organization", "acme", "public", []string{"editor of acme", "editor of e", "viewer of f"}, "read"},
		{"3 document editor", "organization", "acme", "public", []string{"viewer of acme", "editor of d"}, "write"},
		{"4 none", "organization", "acme", "organizationPrivate", nil, ""},
		{"5 editor", "organization", "acme", "organizationPrivate", []string{"editor of acme"}, "write"},
		{"5 viewer", "organization", "acme", "organizationPrivate", []string{"viewer of acme"}, "read"},
		{"6 a folder above", "organization", "acme", "organizationPrivate", []string{"editor of e"}, "write"},
		{"6 the document", "organization", "acme", "organizationPrivate", []string{"viewer of d"}, "read"},
		{"7 both", "organization", "acme", "organizationPrivate", []string{"editor of acme", "viewer of d"}, "read"},
		{"8 above only", "document", "d", "restricted", []string{"editor of acme", "editor of e", "editor of f"}, ""},
		{"9 editor", "document", "d", "restricted", []string{"editor of d"}, "write"},
		{"9 viewer", "document", "d", "restricted", []string{"viewer of d", "editor of f"}, "read"},
		{"10 on it", "folder", "e", "restricted", []string{"editor of e"}, "write"},
		{"10 between", "folder", "e", "restricted", []string{"editor of e", "viewer of f"}, "read"},
		{"10 the document", "folder", "f", "restricted", []string{"editor of d"}, "write"},
		{"11 above it", "folder", "f", "restricted", []string{"editor of acme", "editor of e", "editor of elsewhere"}, ""},
		{"12 organization", "organization", "acme", "restricted", []string{"viewer of acme"}, "read"},
		{"12 folder", "organization", "acme", "restricted", []string{"viewer of acme", "editor of e"}, "write"},
		{"12 none", "organization", "acme", "restricted", []string{"editor of elsewhere"}, ""},
	} {
		user := fmt.Sprint("u", i)
		c.sets(row.of, row.id, row.access)
		if len(row.roles) > 0 {
			c.grants(user, row.roles...)
		}
		require.Equal(t, row.want, c.may(user, "d"), row.name)
		c.sets(row.of, row.id, "")
	}
	c.sets("folder", "f", "restricted")
	c.sets("document", "d", "public")
	require.Equal(t, "write", c.may("nobody", "d"), "the nearest holds")
}

// A grant that has ended is as if absent.
func TestEndedGrantsGiveNoAccess(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("f")
	c.files("d", "f")
	c.sets("organization", "acme", "organizationPrivate")
	c.grants("ann", "viewer of acme", "editor of f")
	require.Equal(t, "write", c.may("ann", "d"))
	c.Exec(`UPDATE grants SET expires_at = clock_timestamp() WHERE folder_key IS NOT NULL`)
	require.Equal(t, "read", c.may("ann", "d"))
}

// Whatever becomes of the folders above it, what a document says of itself holds.
func TestFolders_3_ADocumentsOwnAccessSurvives(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("a", "a/f", "b")
	c.files("d", "f")
	c.sets("document", "d", "restricted")
	c.grants("ann", "editor of a", "editor of f", "editor of b")
	c.grants("bob", "editor of d")
	for _, change := range []func(){
		func() {}, func() { c.moves("f", "b") }, func() { c.moves("f", "") }, func() { c.opens("f", "public") }, func() { c.opens("f", "") },
	} {
		change()
		require.Equal(t, []string{"", "write"}, []string{c.may("ann", "d"), c.may("bob", "d")})
	}
}

// opens sets the access of a folder as a caller does.
func (c *cabinet) opens(folderID, access string) {
	c.T.Helper()
	entries, err := c.SetAccess(c.T.Context(), modelstest.Workspace, "acme", []string{folderID}, access)
	require.Empty(c.T, c.Codes(entries, err)[folderID])
}

// A move of a folder acts on all documents below it at once: a reader finds either
// all of them open or none.
func TestFoldersUpdate_2_ASubtreeOfManyDocuments(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("open", "closed", "top", "top/f")
	c.opens("closed", "restricted")
	c.files("d", "f")
	c.Exec(`INSERT INTO documents (workspace_id, organization_key, folder_key, document_id, name, default_access)
SELECT workspace_id, organization_key, folder_key, 'd' || n, 'd', 'public' FROM documents, generate_series(1, 9999) AS n`)
	var organization int64
	var keys []int64
	require.NoError(t, c.DB.Pool.QueryRow(t.Context(), `SELECT organization_key, array_agg(key) FROM documents GROUP BY 1`).Scan(&organization, &keys))
	readable := func() (n int) {
		known, err := directory.ReadAccess(t.Context(), c.DB.Pool, organization, keys, []string{"ann"})
		require.NoError(t, err)
		for _, key := range keys {
			if known.Decide(key, "ann").Read {
				n++
			}
		}
		return n
	}
	moved := make(chan struct{})
	go func() {
		defer close(moved)
		for range 10 {
			for _, parent := range []string{"closed", "open"} {
				if code := c.moves("top", parent); code != "" {
					t.Error(code)
				}
			}
		}
	}()
	for going := true; going; {
		select {
		case <-moved:
			going = false
		default:
		}
		require.Contains(t, []int{0, 10000}, readable())
	}
	require.Equal(t, 10000, readable())
	require.Empty(t, c.moves("top", "closed"))
	require.Equal(t, 0, readable())
}

// Of any number of documents those are found that a user may read: where one may by a grant on each, that of each is looked up.
func TestReadableDocumentsOfManyAreFound(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.files("d", "")
	c.grants("ann", "viewer of d")
	const more = directory.ReadableAtOnce + 2
	c.Exec(`INSERT INTO documents (workspace_id, organization_key, document_id, name, access, default_access)
SELECT workspace_id, organization_key, 'd' || n, 'd', 'restricted', 'public' FROM documents, generate_series(1, $1::int) n`, more)
	c.Exec(`INSERT INTO grants (workspace_id, organization_key, user_id, document_key, role)
SELECT d.workspace_id, d.organization_key, 'ann', d.key, 'viewer' FROM documents d WHERE d.access = 'restricted' AND d.document_id <> 'd7'`)
	var keys []int64
	for _, text := range c.Rows(`SELECT d.key::text FROM documents d WHERE d.document_id <> 'd' ORDER BY d.key DESC`) {
		key, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		keys = append(keys, key)
	}
	require.Len(t, keys, more)
	var organization int64
	require.NoError(t, c.DB.Pool.QueryRow(t.Context(), `SELECT key FROM organizations`).Scan(&organization))
	for user, refused := range map[string]int{"ann": 1, "bob": more} {
		readable, err := directory.Readable(t.Context(), c.DB.Pool, organization, keys, user)
		require.NoError(t, err)
		require.Len(t, readable, more-refused)
		require.True(t, slices.IsSortedFunc(readable, func(a, b int64) int { return cmp.Compare(b, a) }), "in their order")
	}
}
