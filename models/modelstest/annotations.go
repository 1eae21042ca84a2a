package modelstest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/notification"
)

// Annotations is a store of annotations beside one of people.
type Annotations struct {
	*People
	Notes    *annotation.Annotations
	Reads    *view.Views
	Notified *notification.Notifications
}

// NewAnnotations makes a store of annotations with a workspace.
func NewAnnotations(t *testing.T) *Annotations {
	t.Helper()
	c := NewPeople(t)
	return &Annotations{c, annotation.New(c.DB), view.New(c.DB), notification.New(c.DB)}
}

// Says is a comment of a user, with the tags that the text has.
func Says(user, text string, changes ...func(*annotation.NewComment)) annotation.NewComment {
	c := annotation.NewComment{Content: annotation.Content{From: person.Person{UserID: user}, Text: text, TextAvailable: true}}
	for _, apply := range changes {
		apply(&c)
	}
	return c
}

// Flagged lets a comment publish its event and tag these users.
func Flagged(tags ...string) func(*annotation.NewComment) {
	return func(c *annotation.NewComment) { c.Notify, c.Tags = true, tags }
}

// Note is a public annotation of these comments.
func Note(annotationID string, comments ...annotation.NewComment) annotation.NewAnnotation {
	return annotation.NewAnnotation{
		ID: annotationID, Kind: "comment", CommentType: "manual", StatusID: "OPEN", Status: json.RawMessage(`{"id":"OPEN"}`),
		Visibility: directory.Visibility{Type: directory.VisiblePublic}, Comments: comments,
	}
}

// Restricted makes an annotation visible to these users only.
func Restricted(n annotation.NewAnnotation, users ...string) annotation.NewAnnotation {
	n.Visibility = directory.Visibility{Type: directory.VisibleRestricted, UserIDs: users}
	return n
}

// Private makes an annotation visible to one organization only.
func Private(n annotation.NewAnnotation, organizationID string) annotation.NewAnnotation {
	n.Visibility = directory.Visibility{Type: directory.VisibleOrganization, OrganizationID: organizationID}
	return n
}

// In is a document of acme, made where it is missing.
func In(documentID string) directory.Container {
	return directory.Container{OrganizationID: "acme", DocumentID: documentID, CreateOrganization: true, CreateDocument: true}
}

// Add adds annotations to a document of acme.
func (d *Annotations) Add(documentID string, notes ...annotation.NewAnnotation) []annotation.Added {
	d.T.Helper()
	added, err := d.Notes.Add(d.T.Context(), Workspace, annotation.Addition{Container: In(documentID), Annotations: notes})
	require.NoError(d.T, err)
	require.Len(d.T, added, len(notes))
	return added
}

// Count returns the counts of annotations of documents as a user sees them.
func (d *Annotations) Count(user string, documentIDs ...string) map[string]view.Count {
	d.T.Helper()
	_, counts, err := d.Reads.Count(d.T.Context(), Workspace, view.CountFilter{OrganizationID: "acme", DocumentIDs: documentIDs, UserID: user})
	require.NoError(d.T, err)
	return counts
}

// Published returns the events of the workspace in their order.
func (d *Annotations) Published() []map[string]any {
	d.T.Helper()
	var events []map[string]any
	for _, body := range d.Rows(`SELECT convert_from(b.body, 'UTF8') FROM messages m JOIN message_bodies b ON b.message_id = m.id ORDER BY m.sequence`) {
		event := map[string]any{}
		require.NoError(d.T, json.Unmarshal([]byte(body), &event))
		events = append(events, event)
	}
	return events
}

// People is a store of people in a workspace of its own.
type People struct {
	*directory.Users
	*Bench
}

// NewPeople makes a store of people.
func NewPeople(t *testing.T) *People {
	t.Helper()
	b := NewBench(t, 10)
	return &People{directory.NewUsers(b.DB, judgment.ForgetUsers, mail.ForgetUsers, notification.ForgetUsers), b}
}

// Known is a user with a name.
func Known(userID, name string) directory.ProfileChange {
	return directory.ProfileChange{Person: person.Person{UserID: userID, Name: &name}}
}

// Adds adds users to a container, which is made where it is missing.
func (c *People) Adds(at directory.Container, users ...directory.ProfileChange) {
	c.T.Helper()
	at.CreateOrganization, at.CreateDocument, at.CreateFolder = true, true, true
	entries, err := c.Users.Add(c.T.Context(), Workspace, at, users)
	require.NoError(c.T, err)
	for _, e := range entries {
		require.True(c.T, e.Success())
		require.Len(c.T, e.ItemID, 32)
	}
}

// Codes returns the codes of entries by the ids of their users.
func (c *People) Codes(entries []directory.Entry, err error) map[string]string {
	c.T.Helper()
	require.NoError(c.T, err)
	found := map[string]string{}
	for _, e := range entries {
		found[e.ID] = e.Code
	}
	return found
}

// Acme is the organization of most tests.
var Acme = directory.Container{OrganizationID: "acme"}
