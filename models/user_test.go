package models_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	keys "github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models"
)

// Two overlapping calls of 1,000 users in opposite order both succeed.
func TestUsersAdd_2_OverlappingAddsOfManyUsers(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	forth, back := make([]models.ProfileChange, 1000), make([]models.ProfileChange, 1000)
	for i := range forth {
		forth[i] = known(fmt.Sprintf("u%04d", i), "Name")
		back[len(back)-1-i] = forth[i]
	}
	for _, err := range errorsOf(6, func(i int) error {
		_, err := c.Users.Add(t.Context(), workspace, models.Container{OrganizationID: "acme", CreateOrganization: true},
			[][]models.ProfileChange{forth, back}[i%2])
		return err
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"1000"}, c.rows(`SELECT count(*)::text FROM profiles`))
	require.Equal(t, []string{"1000"}, c.rows(`SELECT count(*)::text FROM grants`))
	require.Equal(t, []string{"1"}, c.rows(`SELECT count(*)::text FROM organizations`))
}

func TestWhatMayNotBeMadeIsMissing(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	for _, at := range []models.Container{
		acme, {OrganizationID: "acme", CreateOrganization: true, DocumentID: "d"}, {OrganizationID: "acme", CreateOrganization: true, FolderID: "f"},
	} {
		_, err := c.Users.Add(t.Context(), workspace, at, []models.ProfileChange{known("ann", "Ann")})
		require.True(t, fault.Is(err, fault.NotFound))
		require.NotEmpty(t, fault.From(err).Details.Resource)
	}
	require.Equal(t, []string{"0"}, c.rows(`SELECT count(*)::text FROM organizations`), "nothing of a refused call stays")
}

func TestAProfileIsMerged(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	first := known("ann", "élan")
	first.Extra = []keys.Pair{{Name: "team", Value: json.RawMessage(`1.10`)}, {Name: "old", Value: json.RawMessage(`{}`)}}
	c.adds(acme, first)
	read := func() []string {
		return c.rows(`SELECT concat_ws('|', coalesce(name, '-'), coalesce(email, '-'), initial, extra) FROM profiles WHERE user_id = 'ann'`)
	}
	require.Equal(t, []string{`élan|-|É|{"team":1.10,"old":{}}`}, read())
	email, set := "ann@x.y", "AN"
	c.adds(acme, models.ProfileChange{Person: person.Person{UserID: "ann", Email: &email, Initial: &set}})
	c.adds(acme, known("ann", "Bo"))
	require.Equal(t, []string{`Bo|ann@x.y|AN|{"team":1.10,"old":{}}`}, read(), "an initial of the caller stays")
	cleared := models.ProfileChange{Person: person.Person{UserID: "ann", Extra: []keys.Pair{{Name: "old", Value: json.RawMessage(`null`)}}}}
	cleared.Cleared.Nulls = []string{"name", "initial"}
	require.Equal(t, map[string]string{"ann": ""}, c.codes(c.Users.Update(t.Context(), workspace, acme, []models.ProfileChange{cleared})))
	require.Equal(t, []string{`-|ann@x.y|A|{"team":1.10}`}, read())
}

func TestRolesAreOfTheLevelNamed(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	document := models.Container{OrganizationID: "acme", DocumentID: "d"}
	c.adds(document, known("ann", "Ann"))
	c.adds(acme, known("bob", "Bob"))
	viewer := func(user string) models.ProfileChange {
		change := known(user, user)
		change.Role = "viewer"
		return change
	}
	change := []models.ProfileChange{viewer("ann"), viewer("bob"), viewer("eve")}
	require.Equal(t, map[string]string{"ann": "", "bob": "not-member", "eve": "not-found"},
		c.codes(c.Users.Update(t.Context(), workspace, document, change)))
	require.Equal(t, map[string]string{"ann": "not-member", "bob": "", "eve": "not-found"},
		c.codes(c.Users.Update(t.Context(), workspace, acme, change)))
	require.Equal(t, map[string]string{"ann": ""}, c.codes(c.Users.Update(t.Context(), workspace, acme, []models.ProfileChange{known("ann", "A.")})),
		"without a role the organization's level is not named")
	c.adds(document, known("ann", "Ann"))
	require.Equal(t, []string{"ann viewer", "bob viewer"}, c.rows(`SELECT user_id || ' ' || role FROM grants ORDER BY 1`), "an add without role changes none")
	nowhere := models.Container{OrganizationID: "nowhere"}
	require.Equal(t, map[string]string{"ann": "not-found"}, c.codes(c.Users.Update(t.Context(), workspace, nowhere, change[:1])))
	c.exec(`UPDATE grants SET expires_at = clock_timestamp() - interval '1 second' WHERE user_id = 'ann'`)
	require.Equal(t, map[string]string{"ann": "not-member"}, c.codes(c.Users.Update(t.Context(), workspace, document, change[:1])))
	c.adds(document, known("ann", "Ann"))
	require.Equal(t, []string{"editor"}, c.rows(`SELECT role FROM grants WHERE user_id = 'ann' AND expires_at IS NULL`), "an expired grant is as if absent")
}

func TestDeletedUsersLeaveNothing(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	document := models.Container{OrganizationID: "acme", DocumentID: "d"}
	c.adds(document, known("ann", "Ann"), known("bob", "Bob"))
	c.adds(acme, known("bob", "Bob"))
	run := c.waiting("k", models.Dispatch{OrganizationID: "acme"})
	c.decides(run, "ann", "approve", "")
	c.decides(run, "bob", "approve", "")
	require.Equal(t, map[string]string{"bob": "", "eve": "not-found"}, c.codes(c.Users.Delete(t.Context(), workspace, document, []string{"bob", "eve", "bob"})))
	require.Equal(t, []string{"ann document", "bob organization"},
		c.rows(`SELECT user_id || CASE WHEN document_key IS NULL THEN ' organization' ELSE ' document' END FROM grants ORDER BY 1`))
	require.Len(t, c.judgments(models.JudgmentFilter{}), 2, "removal from a document leaves judgments")
	require.Equal(t, map[string]string{"ann": "", "eve": "not-found"}, c.codes(c.Users.Delete(t.Context(), workspace, acme, []string{"ann", "eve"})))
	require.Equal(t, []string{"bob"}, c.rows(`SELECT user_id FROM grants`))
	require.Len(t, c.judgments(models.JudgmentFilter{}), 1)
	c.adds(acme, known("ann", "Ann"))
	require.Equal(t, []string{"organization"}, c.rows(`SELECT CASE WHEN document_key IS NULL THEN 'organization' ELSE 'document' END FROM grants WHERE user_id = 'ann'`),
		"no old grant comes back")
}

// A delete and an add of one user at one moment leave one of the two orders.
func TestUsersDelete_5_DeleteRacesWithAdd(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.adds(acme, known("ann", "Ann"))
	for range 20 {
		for _, err := range errorsOf(4, func(i int) error {
			if i%2 == 0 {
				_, err := c.Users.Delete(t.Context(), workspace, acme, []string{"ann"})
				return err
			}
			_, err := c.Users.Add(t.Context(), workspace, acme, []models.ProfileChange{known("ann", "Ann")})
			return err
		}) {
			require.NoError(t, err)
		}
		require.Equal(t, c.rows(`SELECT user_id FROM profiles`), c.rows(`SELECT user_id FROM grants`))
	}
}

func TestOrganizationsOfTwoWorkspacesAreTwo(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.adds(acme, known("ann", "Ann"))
	require.Equal(t, map[string]string{"ann": "not-found"}, c.codes(c.Users.Update(t.Context(), "ws_other", acme, []models.ProfileChange{known("ann", "X")})))
	require.Equal(t, map[string]string{"ann": "not-found"}, c.codes(c.Users.Delete(t.Context(), "ws_other", acme, []string{"ann"})))
	require.Equal(t, []string{"Ann"}, c.rows(`SELECT name FROM profiles`))
}

// Where authors become members by writing, an annotation and users that come to
// one new document at once wait for one another, and never for each other.
func TestAuthorsJoinBesideUsersThatAreAdded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(`UPDATE workspaces SET auto_members = true`)
	d.adds(acme, known("ann", "Ann"))
	for round := range 20 {
		at := models.Container{OrganizationID: "acme", DocumentID: fmt.Sprint("d", round), CreateDocument: true}
		for _, err := range errorsOf(6, func(i int) error {
			if i%2 == 0 {
				_, err := d.Users.Add(t.Context(), workspace, at, []models.ProfileChange{known("bob", "Bob")})
				return err
			}
			added := models.AnnotationsAdd{Container: at, Annotations: []models.NewAnnotation{note("", says(fmt.Sprint("u", round, i), "a"))}}
			_, err := d.notes.Add(t.Context(), workspace, added)
			return err
		}) {
			require.NoError(t, err)
		}
	}
	require.Equal(t, []string{"20"}, d.rows(`SELECT count(*)::text FROM documents`))
	require.Equal(t, []string{"61"}, d.rows(`SELECT count(*)::text FROM grants WHERE document_key IS NULL`), "ann and each author")
}
