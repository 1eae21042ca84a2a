package models_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models"
)

// desk is a store of annotations beside one of people.
type desk struct {
	*crowd
	notes *models.Annotations
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	c := newCrowd(t)
	return &desk{c, models.NewAnnotations(c.db)}
}

// says is a comment of a user, with the tags that the text has.
func says(user, text string, change ...func(*models.NewComment)) models.NewComment {
	c := models.NewComment{From: person.Person{UserID: user}, Text: text, TextAvailable: true}
	for _, apply := range change {
		apply(&c)
	}
	return c
}

func flagged(tags ...string) func(*models.NewComment) {
	return func(c *models.NewComment) { c.Notify, c.Tags = true, tags }
}

// note is a public annotation of these comments.
func note(annotationID string, comments ...models.NewComment) models.NewAnnotation {
	return models.NewAnnotation{
		ID: annotationID, Kind: "comment", CommentType: "manual", StatusID: "OPEN", Status: json.RawMessage(`{"id":"OPEN"}`),
		Visibility: models.Visibility{Type: models.VisiblePublic}, Comments: comments,
	}
}

func restricted(n models.NewAnnotation, users ...string) models.NewAnnotation {
	n.Visibility = models.Visibility{Type: models.VisibleRestricted, UserIDs: users}
	return n
}

func private(n models.NewAnnotation, organizationID string) models.NewAnnotation {
	n.Visibility = models.Visibility{Type: models.VisibleOrganization, OrganizationID: organizationID}
	return n
}

// in is a document of acme, made where it is missing.
func in(documentID string) models.Container {
	return models.Container{OrganizationID: "acme", DocumentID: documentID, CreateOrganization: true, CreateDocument: true}
}

func (d *desk) add(documentID string, notes ...models.NewAnnotation) []models.AddedAnnotation {
	d.t.Helper()
	added, err := d.notes.Add(d.t.Context(), workspace, models.AnnotationsAdd{Container: in(documentID), Annotations: notes})
	require.NoError(d.t, err)
	require.Len(d.t, added, len(notes))
	return added
}

func (d *desk) count(user string, documentIDs ...string) map[string]models.Count {
	d.t.Helper()
	_, counts, err := d.notes.Count(d.t.Context(), workspace, models.CountFilter{OrganizationID: "acme", DocumentIDs: documentIDs, UserID: user})
	require.NoError(d.t, err)
	return counts
}

// told are the events of the workspace in their order.
func (d *desk) told() []map[string]any {
	d.t.Helper()
	var events []map[string]any
	for _, body := range d.rows(`SELECT convert_from(b.body, 'UTF8') FROM messages m JOIN message_bodies b ON b.message_id = m.id ORDER BY m.sequence`) {
		event := map[string]any{}
		require.NoError(d.t, json.Unmarshal([]byte(body), &event))
		events = append(events, event)
	}
	return events
}

// crowd is a store of people in a workspace of its own.
type crowd struct {
	*models.Users
	*bench
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	b := newBench(t, 10)
	b.tenant()
	return &crowd{models.NewUsers(b.db, models.ForgetJudgments, models.ForgetMails), b}
}

func known(userID, name string) models.ProfileChange {
	return models.ProfileChange{Person: person.Person{UserID: userID, Name: &name}}
}

func (c *crowd) adds(at models.Container, users ...models.ProfileChange) {
	c.t.Helper()
	at.CreateOrganization, at.CreateDocument, at.CreateFolder = true, true, true
	entries, err := c.Users.Add(c.t.Context(), workspace, at, users)
	require.NoError(c.t, err)
	for _, e := range entries {
		require.True(c.t, e.Success())
		require.Len(c.t, e.ItemID, 32)
	}
}

func (c *crowd) codes(entries []models.Entry, err error) map[string]string {
	c.t.Helper()
	require.NoError(c.t, err)
	found := map[string]string{}
	for _, e := range entries {
		found[e.ID] = e.Code
	}
	return found
}

var acme = models.Container{OrganizationID: "acme"}
