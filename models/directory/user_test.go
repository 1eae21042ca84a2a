package directory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	keys "github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

// Two overlapping calls of 1,000 users in opposite order both succeed.
func TestUsersAdd_2_OverlappingAddsOfManyUsers(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	forth, back := make([]directory.ProfileChange, 1000), make([]directory.ProfileChange, 1000)
	for i := range forth {
		forth[i] = modelstest.Known(fmt.Sprintf("u%04d", i), "Name")
		back[len(back)-1-i] = forth[i]
	}
	for _, err := range modelstest.ErrorsOf(6, func(i int) error {
		_, err := c.Users.Add(t.Context(), modelstest.Workspace, directory.Container{OrganizationID: "acme", CreateOrganization: true},
			[][]directory.ProfileChange{forth, back}[i%2])
		return err
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"1000"}, c.Rows(`SELECT count(*)::text FROM profiles`))
	require.Equal(t, []string{"1000"}, c.Rows(`SELECT count(*)::text FROM grants`))
	require.Equal(t, []string{"1"}, c.Rows(`SELECT count(*)::text FROM organizations`))
}

func TestWhatMayNotBeMadeIsMissing(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	for _, at := range []directory.Container{
		modelstest.Acme, {OrganizationID: "acme", CreateOrganization: true, DocumentID: "d"}, {OrganizationID: "acme", CreateOrganization: true, FolderID: "f"},
	} {
		_, err := c.Users.Add(t.Context(), modelstest.Workspace, at, []directory.ProfileChange{modelstest.Known("ann", "Ann")})
		require.True(t, fault.Is(err, fault.StatusNotFound))
		require.NotEmpty(t, fault.From(err).Details.Resource)
	}
	require.Equal(t, []string{"0"}, c.Rows(`SELECT count(*)::text FROM organizations`), "nothing of a refused call stays")
}

func TestAProfileIsMerged(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	first := modelstest.Known("ann", "élan")
	first.Extra = []keys.Pair{{Name: "team", Value: json.RawMessage(`1.10`)}, {Name: "old", Value: json.RawMessage(`{}`)}}
	c.Adds(modelstest.Acme, first)
	read := func() []string {
		return c.Rows(`SELECT concat_ws('|', coalesce(name, '-'), coalesce(email, '-'), initial, extra) FROM profiles WHERE user_id = 'ann'`)
	}
	require.Equal(t, []string{`élan|-|É|{"team":1.10,"old":{}}`}, read())
	email, set := "ann@x.y", "AN"
	c.Adds(modelstest.Acme, directory.ProfileChange{Person: person.Person{UserID: "ann", Email: &email, Initial: &set}})
	c.Adds(modelstest.Acme, modelstest.Known("ann", "Bo"))
	require.Equal(t, []string{`Bo|ann@x.y|AN|{"team":1.10,"old":{}}`}, read(), "an initial of the caller stays")
	cleared := directory.ProfileChange{Person: person.Person{UserID: "ann", Extra: []keys.Pair{{Name: "old", Value: json.RawMessage(`null`)}}}}
	cleared.Cleared.Nulls = []string{"name", "initial"}
	require.Equal(t, map[string]string{"ann": ""}, c.Codes(c.Users.Update(t.Context(), modelstest.Workspace, modelstest.Acme, []directory.ProfileChange{cleared})))
	require.Equal(t, []string{`-|ann@x.y|A|{"team":1.10}`}, read())
}

// Whoever would have too large a profile is named by the element of the call that makes
// it so, whatever else is in the list.
func TestAProfileTooLargeIsNamedByItsElement(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	with := func(key string) directory.ProfileChange {
		u := modelstest.Known("ann", "Ann")
		u.Extra = []keys.Pair{{Name: key, Value: json.RawMessage(`"` + strings.Repeat("x", 5<<10) + `"`)}}
		return u
	}
	c.Adds(modelstest.Acme, with("first"), modelstest.Known("bob", "Bob"))
	bob, eve := modelstest.Known("bob", "B"), modelstest.Known("eve", "Eve")
	for name, call := range map[string]func(context.Context, string, directory.Container, []directory.ProfileChange) ([]directory.Entry, error){
		"add": c.Users.Add, "update": c.Users.Update,
	} {
		for at, sent := range [][]directory.ProfileChange{
			{with("second")}, {eve, with("second")}, {bob, bob, with("second")}, {modelstest.Known("ann", "A"), eve, bob, with("second")},
		} {
			_, err := call(t.Context(), modelstest.Workspace, modelstest.Acme, sent)
			require.True(t, fault.Is(err, fault.StatusInvalidArgument), "%s %v", name, err)
			require.Equal(t, []string{"users", strconv.Itoa(at)}, fault.From(err).Issues[0].Path, name)
		}
	}
	require.Equal(t, []string{"Ann", "Bob"}, c.Rows(`SELECT name FROM profiles ORDER BY 1`), "nothing of a refused call stays")
}

func TestRolesAreOfTheLevelNamed(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	document := directory.Container{OrganizationID: "acme", DocumentID: "d"}
	c.Adds(document, modelstest.Known("ann", "Ann"))
	c.Adds(modelstest.Acme, modelstest.Known("bob", "Bob"))
	viewer := func(user string) directory.ProfileChange {
		change := modelstest.Known(user, user)
		change.Role = "viewer"
		return change
	}
	change := []directory.ProfileChange{viewer("ann"), viewer("bob"), viewer("eve")}
	require.Equal(t, map[string]string{"ann": "", "bob": "not-member", "eve": "not-found"},
		c.Codes(c.Users.Update(t.Context(), modelstest.Workspace, document, change)))
	require.Equal(t, map[string]string{"ann": "not-member", "bob": "", "eve": "not-found"},
		c.Codes(c.Users.Update(t.Context(), modelstest.Workspace, modelstest.Acme, change)))
	require.Equal(t, map[string]string{"ann": ""}, c.Codes(c.Users.Update(t.Context(), modelstest.Workspace, modelstest.Acme, []directory.ProfileChange{modelstest.Known("ann", "A.")})),
		"without a role the organization's level is not named")
	c.Adds(document, modelstest.Known("ann", "Ann"))
	require.Equal(t, []string{"ann viewer", "bob viewer"}, c.Rows(`SELECT user_id || ' ' || role FROM grants ORDER BY 1`), "an add without role changes none")
	nowhere := directory.Container{OrganizationID: "nowhere"}
	require.Equal(t, map[string]string{"ann": "not-found"}, c.Codes(c.Users.Update(t.Context(), modelstest.Workspace, nowhere, change[:1])))
	c.Exec(`UPDATE grants SET expires_at = clock_timestamp() - interval '1 second' WHERE user_id = 'ann'`)
	require.Equal(t, map[string]string{"ann": "not-member"}, c.Codes(c.Users.Update(t.Context(), modelstest.Workspace, document, change[:1])))
	c.Adds(document, modelstest.Known("ann", "Ann"))
	require.Equal(t, []string{"editor"}, c.Rows(`SELECT role FROM grants WHERE user_id = 'ann' AND expires_at IS NULL`), "an expired grant is as if absent")
}

func TestDeletedUsersLeaveNothing(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	document := directory.Container{OrganizationID: "acme", DocumentID: "d"}
	c.Adds(document, modelstest.Known("ann", "Ann"), modelstest.Known("bob", "Bob"))
	c.Adds(modelstest.Acme, modelstest.Known("bob", "Bob"))
	run := c.Waiting("k", execution.Dispatch{OrganizationID: "acme"})
	c.Decides(run, "ann", "approve", "")
	c.Decides(run, "bob", "approve", "")
	require.Equal(t, map[string]string{"bob": "", "eve": "not-found"}, c.Codes(c.Users.Delete(t.Context(), modelstest.Workspace, document, []string{"bob", "eve", "bob"})))
	require.Equal(t, []string{"ann document", "bob organization"},
		c.Rows(`SELECT user_id || CASE WHEN document_key IS NULL THEN ' organization' ELSE ' document' END FROM grants ORDER BY 1`))
	require.Len(t, c.Judgments(judgment.Filter{}), 2, "removal from a document leaves judgments")
	require.Equal(t, map[string]string{"ann": "", "eve": "not-found"}, c.Codes(c.Users.Delete(t.Context(), modelstest.Workspace, modelstest.Acme, []string{"ann", "eve"})))
	require.Equal(t, []string{"bob"}, c.Rows(`SELECT user_id FROM grants`))
	require.Len(t, c.Judgments(judgment.Filter{}), 1)
	c.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"))
	require.Equal(t, []string{"organization"}, c.Rows(`SELECT CASE WHEN document_key IS NULL THEN 'organization' ELSE 'document' END FROM grants WHERE user_id = 'ann'`),
		"no old grant comes back")
}

// Users may be granted any number of documents, and be in any number of groups: these go some at a time, and the users with the last of them.
func TestUsersGoWithAnyNumberOfGrants(t *testing.T) {
	t.Parallel()
	const many = directory.GoAtOnce + 1
	c := modelstest.NewPeople(t)
	c.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"), modelstest.Known("bob", "Bob"))
	c.Exec(`INSERT INTO documents (workspace_id, organization_key, document_id, name, default_access)
SELECT workspace_id, key, 'd' || n, 'd', 'public' FROM organizations, generate_series(1, $1::int) n`, many)
	c.Exec(`INSERT INTO grants (organization_key, user_id, workspace_id, document_key, role) SELECT organization_key, 'ann', workspace_id, key, 'viewer' FROM documents`)
	c.Exec(`INSERT INTO user_groups (workspace_id, organization_key, group_id, name) SELECT workspace_id, key, 'g' || n, 'g' FROM organizations, generate_series(1, $1::int) n`, many)
	c.Exec(`INSERT INTO user_group_members (group_key, user_id, organization_key, workspace_id) SELECT key, 'ann', organization_key, workspace_id FROM user_groups`)
	require.Equal(t, map[string]string{"ann": "", "eve": "not-found"}, c.Codes(c.Users.Delete(t.Context(), modelstest.Workspace, modelstest.Acme, []string{"ann", "eve"})))
	require.Equal(t, []string{"bob"}, c.Rows(`SELECT user_id FROM profiles UNION SELECT user_id FROM grants UNION SELECT user_id FROM user_group_members`))
}

// A delete and an add of one user at one moment leave one of the two orders.
func TestUsersDelete_5_DeleteRacesWithAdd(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	c.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"))
	for range 20 {
		for _, err := range modelstest.ErrorsOf(4, func(i int) error {
			if i%2 == 0 {
				_, err := c.Users.Delete(t.Context(), modelstest.Workspace, modelstest.Acme, []string{"ann"})
				return err
			}
			_, err := c.Users.Add(t.Context(), modelstest.Workspace, modelstest.Acme, []directory.ProfileChange{modelstest.Known("ann", "Ann")})
			return err
		}) {
			require.NoError(t, err)
		}
		require.Equal(t, c.Rows(`SELECT user_id FROM profiles`), c.Rows(`SELECT user_id FROM grants`))
	}
}

func TestOrganizationsOfTwoWorkspacesAreTwo(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	c.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"))
	require.Equal(t, map[string]string{"ann": "not-found"}, c.Codes(c.Users.Update(t.Context(), "ws_other", modelstest.Acme, []directory.ProfileChange{modelstest.Known("ann", "X")})))
	require.Equal(t, map[string]string{"ann": "not-found"}, c.Codes(c.Users.Delete(t.Context(), "ws_other", modelstest.Acme, []string{"ann"})))
	require.Equal(t, []string{"Ann"}, c.Rows(`SELECT name FROM profiles`))
}

// Where authors become members by writing, an annotation and users that are added to
// one new document at the same time wait for one another and do not deadlock.
func TestAuthorsJoinBesideUsersThatAreAdded(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Exec(`UPDATE workspaces SET auto_members = true`)
	d.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"))
	for round := range 20 {
		at := directory.Container{OrganizationID: "acme", DocumentID: fmt.Sprint("d", round), CreateDocument: true}
		for _, err := range modelstest.ErrorsOf(6, func(i int) error {
			if i%2 == 0 {
				_, err := d.Users.Add(t.Context(), modelstest.Workspace, at, []directory.ProfileChange{modelstest.Known("bob", "Bob")})
				return err
			}
			added := annotation.Addition{Container: at, Annotations: []annotation.NewAnnotation{modelstest.Note("", modelstest.Says(fmt.Sprint("u", round, i), "a"))}}
			_, err := d.Notes.Add(t.Context(), modelstest.Workspace, added)
			return err
		}) {
			require.NoError(t, err)
		}
	}
	require.Equal(t, []string{"20"}, d.Rows(`SELECT count(*)::text FROM documents`))
	require.Equal(t, []string{"61"}, d.Rows(`SELECT count(*)::text FROM grants WHERE document_key IS NULL`), "ann and each author")
}
