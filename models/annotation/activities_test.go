package annotation_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/modelstest"
)

// The record of an edit says what each field was that is another one now, exactly; that
// of an addition says nothing of the kind.
func TestActivitiesOfEditsSayWhatChanged(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Adds(modelstest.Acme, modelstest.Known("bob", "Bob"))
	recorded := func(c *annotation.NewComment) { c.Record = true }
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "hi", recorded, func(c *annotation.NewComment) {
		c.HTML, c.TextAvailable, c.Context = "<p>hi</p>", true, json.RawMessage(`{"n": 12345678901234567890}`)
	}), modelstest.Says("ann", "2"))))
	require.Equal(t, []string{"comment_annotation.add -"}, d.Rows(`SELECT concat_ws(' ', action_type, coalesce(changes::text, '-')) FROM activities`))

	changes := func(fields annotation.EditedFields) string {
		t.Helper()
		call := editing(fields, 1)
		call.Record = true
		edit(d, call)
		rows := d.Rows(`SELECT changes::text FROM activities WHERE action_type = 'comment.update' AND comment_id = 1`)
		d.Exec(`DELETE FROM activities`)
		require.Len(t, rows, 1)
		return rows[0]
	}
	require.JSONEq(t, `{"commentText":{"from":"hi","to":"a < b {{bob}}"},"commentHtml":{"from":"<p>hi</p>","to":""},
"taggedUserContacts":{"from":[],"to":[{"userId":"bob","contact":{"userId":"bob","name":"Bob"}}]}}`,
		changes(annotation.EditedFields{Words: says("a < b {{bob}}")}))
	none := json.RawMessage(nil)
	require.Equal(t, `{"context":{"from":{"n":12345678901234567890},"to":{}}}`, changes(annotation.EditedFields{Context: &none}), "digits stay")
	require.JSONEq(t, `{"from":{"from":{"userId":"ann","initial":""},"to":{"userId":"bob","name":"Bob","initial":"B"}},
"isCommentTextAvailable":{"from":true,"to":false},"isCommentResolverUsed":{"from":false,"to":true}}`,
		changes(annotation.EditedFields{From: &person.Person{UserID: "bob"}, TextAvailable: new(bool), ResolverUsed: new(true)}))
	require.JSONEq(t, `{"taggedUserContacts":{"from":[{"userId":"bob","contact":{"userId":"bob","name":"Bob"}}],
"to":[{"userId":"bob","contact":{"userId":"bob","name":"B"}}]}}`,
		changes(annotation.EditedFields{SetContacts: true, Contacts: []directory.Contact{contact("bob", "B")}}))

	edit(d, editing(annotation.EditedFields{Words: says("silent")}, 1))
	require.Empty(t, d.Rows(`SELECT id FROM activities`))
}
