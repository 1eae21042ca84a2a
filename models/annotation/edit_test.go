package annotation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

// ids returns the comments of a thread their ids in order, from 1 on.
func ids(n annotation.NewAnnotation) annotation.NewAnnotation {
	for i := range n.Comments {
		id := int64(i + 1)
		n.Comments[i].ID = &id
	}
	return n
}

// says are the words of a text alone, with the tags that it has.
func says(text string) *annotation.Words {
	return &annotation.Words{Text: text, Tags: thread.Tags(text, "")}
}

// editing is a call that gives comments of the annotation a in the document d these fields.
func editing(fields annotation.EditedFields, commentIDs ...int64) annotation.Edit {
	return annotation.Edit{
		Container: directory.Container{OrganizationID: "acme", DocumentID: "d"}, AnnotationID: "a", Which: annotation.CommentSelection{IDs: commentIDs}, Fields: fields, Within: "updatedData",
	}
}

// edit makes a call that has to succeed for every comment.
func edit(d *modelstest.Annotations, call annotation.Edit) {
	d.T.Helper()
	entries, err := d.Notes.EditComments(d.T.Context(), modelstest.Workspace, call)
	require.NoError(d.T, err)
	for _, e := range entries {
		require.True(d.T, e.Success(), e.ID)
	}
}

// contact is how a user is reached.
func contact(user, name string) directory.Contact {
	return directory.Contact{UserID: user, Contact: directory.ContactPerson{UserID: user, Name: &name}}
}

func TestAnEditLeavesWhatIsNotSent(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	own := json.RawMessage(`{"n": 1.10}`)
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "hi", func(c *annotation.NewComment) { c.Context, c.HTML = own, "<p>hi</p>" }))))
	shown := func() string {
		return d.Rows(`SELECT concat_ws('|', status, comment_text, comment_html, text_available::text, resolver_used::text, author_id, context, (created_ms = updated_ms)::text) FROM comments`)[0]
	}
	edit(d, editing(annotation.EditedFields{Words: says("hello")}, 1))
	require.Equal(t, `updated|hello||true|false|ann|{"n": 1.10}|false`, shown())
	edit(d, editing(annotation.EditedFields{Words: says("")}, 1))
	require.Equal(t, `updated|||false|false|ann|{"n": 1.10}|false`, shown(), "that there is text follows the text")
	edit(d, editing(annotation.EditedFields{TextAvailable: new(true), ResolverUsed: new(true)}, 1))
	edit(d, editing(annotation.EditedFields{Words: says("")}, 1))
	require.Equal(t, `updated|||true|true|ann|{"n": 1.10}|false`, shown(), "unless it said otherwise")
	none := json.RawMessage(nil)
	edit(d, editing(annotation.EditedFields{FollowText: true, Context: &none, ResolverUsed: new(false)}, 1))
	require.Equal(t, `updated|||false|false|ann|false`, shown())
	require.Equal(t, []string{"true"}, d.Rows(`SELECT (a.updated_ms = c.updated_ms)::text FROM annotations a JOIN comments c ON true`))
}

func TestContactsOfAnEditedComment(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Adds(modelstest.Acme, modelstest.Known("bob", "Bob"), modelstest.Known("eve", "Eve"))
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "{{bob}} {{guest}}", func(c *annotation.NewComment) {
		c.Tags, c.Contacts = []string{"bob", "guest"}, []directory.Contact{contact("guest", "Guest")}
	}))))
	named := func() string {
		return d.Rows(`SELECT coalesce(string_agg(c->'contact'->>'name', ' '), '') FROM comments, json_array_elements(contacts) c`)[0]
	}
	require.Equal(t, "Guest Bob", named())
	d.Adds(modelstest.Acme, modelstest.Known("bob", "Robert"))
	edit(d, editing(annotation.EditedFields{Words: says("{{bob}}, {{guest}}!")}, 1))
	require.Equal(t, "Guest Bob", named(), "a contact stays as it was")
	edit(d, editing(annotation.EditedFields{Words: says("{{eve}} {{bob}}")}, 1))
	require.Equal(t, "Bob Eve", named(), "and goes with its tag")
	edit(d, editing(annotation.EditedFields{SetContacts: true}, 1))
	require.Equal(t, "Eve Robert", named(), "none sent: those of the profiles")

	stranger := annotation.EditedFields{SetContacts: true, Contacts: []directory.Contact{contact("bob", "B"), contact("dan", "Dan")}}
	_, err := d.Notes.EditComments(t.Context(), modelstest.Workspace, editing(stranger, 1))
	require.True(t, fault.Is(err, fault.StatusInvalidArgument))
	require.Equal(t, []string{"updatedData", "taggedUserContacts", "1", "userId"}, fault.From(err).Issues[0].Path)
	require.Len(t, fault.From(err).Issues, 1)
	require.Equal(t, "Eve Robert", named())
	stranger.ResolverUsed = new(true)
	edit(d, editing(stranger, 1))
	require.Equal(t, "B Dan Eve", named(), "the resolver knows better")
	edit(d, editing(annotation.EditedFields{Words: says("{{eve}}")}, 1))
	require.Equal(t, "Dan Eve", named(), "who was never tagged need not be")
	edit(d, editing(annotation.EditedFields{ResolverUsed: new(false)}, 1))
	require.Equal(t, "Eve", named())
}

// Counts follow another author, and nobody has more to read by an edit.
func TestAnEditMayNameAnotherAuthor(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "1"), modelstest.Says("bob", "2"), modelstest.Says("bob", "3"))))
	state := func() string {
		return d.Rows(`SELECT concat_ws(' ', author_id, last_author, last_seq, other_seq) FROM annotations`)[0]
	}
	require.Equal(t, "ann bob 3 1", state())
	before := d.Rows(`SELECT user_id || seq FROM read_marks ORDER BY 1`)
	edit(d, editing(annotation.EditedFields{Words: says("long")}, 2))
	require.Equal(t, "ann bob 3 1", state())
	edit(d, editing(annotation.EditedFields{From: &person.Person{UserID: "eve"}}, 3, 1))
	require.Equal(t, "ann eve 3 2", state(), "who made the annotation stays")
	require.Equal(t, before, d.Rows(`SELECT user_id || seq FROM read_marks ORDER BY 1`))
	require.Zero(t, d.Count("bob", "d")["d"].Unread)
}

func TestAnEditKeepsTheThreadWithinItsSize(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "12345"))))
	d.Exec(`UPDATE annotations SET thread_bytes = 8 << 20`)
	_, err := d.Notes.EditComments(t.Context(), modelstest.Workspace, editing(annotation.EditedFields{Words: says("123456")}, 1))
	require.True(t, fault.Is(err, fault.StatusFailedPrecondition), "%v", err)
	require.Equal(t, []string{"12345"}, d.Rows(`SELECT comment_text FROM comments`))
	edit(d, editing(annotation.EditedFields{Words: says("54321")}, 1))
}

func TestAnEditNotifiesWhoIsTaggedByIt(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "{{bob}}", modelstest.Flagged("bob")), modelstest.Says("cat", "{{bob}} {{dan}}", modelstest.Flagged("bob", "dan")))))
	notified := func() []string {
		return d.Rows(`SELECT concat_ws(' ', n.comment_seq, r.user_id, r.reason, n.action_user->>'userId') FROM notifications n
JOIN notification_recipients r ON r.notification_id = n.id ORDER BY 1`)
	}
	before := []string{"1 bob mention ann", "2 ann reply cat", "2 bob mention cat", "2 dan mention cat"}
	require.Equal(t, before, notified())
	edit(d, editing(annotation.EditedFields{Words: says("{{bob}} {{eve}}")}, 1))
	require.Equal(t, before, notified(), "nobody without the flag")
	call := editing(annotation.EditedFields{Words: says("{{bob}} {{eve}} {{kim}} {{ann}}")}, 1, 2)
	call.Notify, call.Actor = true, &person.Person{UserID: "kim"}
	edit(d, call)
	require.Equal(t, []string{"1 ann mention kim", "1 bob mention ann", "2 ann mention kim", "2 ann reply cat", "2 bob mention cat", "2 eve mention kim"},
		notified(), "whoever edits is not told, and whose tag is gone has no mention any more")
	call.Actor, call.Fields = nil, annotation.EditedFields{Words: says("{{cat}} {{zoe}}")}
	edit(d, call)
	require.Equal(t, []string{"1 cat mention", "1 zoe mention", "2 ann reply cat", "2 zoe mention"}, notified(), "nor an author whom nobody is named beside")
	require.Equal(t, []string{"3"}, d.Rows(`SELECT count(*)::text FROM notifications`), "one that is for nobody is gone")
}

// Edits of one comment follow one another, whoever else is at work.
func TestEditsAtOnceHoldAsAWhole(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "1"), modelstest.Says("bob", "2"))))
	for round := range 10 {
		for _, err := range modelstest.ErrorsOf(6, func(i int) error {
			said := fmt.Sprint(round, " ", strings.Repeat("x", i))
			call := editing(annotation.EditedFields{Words: &annotation.Words{Text: said, HTML: "<p>" + said + "</p>"}}, 1, 2)
			_, err := d.Notes.EditComments(context.Background(), modelstest.Workspace, call)
			return err
		}) {
			require.NoError(t, err)
		}
		require.Equal(t, []string{"1"}, d.Rows(`SELECT count(DISTINCT comment_text)::text FROM comments`), "both by the same call")
		require.Empty(t, d.Rows(`SELECT comment_text FROM comments WHERE comment_html <> '<p>' || comment_text || '</p>'`))
		require.Equal(t, []string{"true"}, d.Rows(bytesHold))
		require.Equal(t, d.Rows(`SELECT comment_text FROM comments ORDER BY seq`), d.Rows(`SELECT reasoning FROM judgments ORDER BY origin_id`))
	}
}

func TestAnEditReplacesWhatItsJudgmentSays(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"), modelstest.Known("bob", "Bob"))
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "first"), modelstest.Says("bot", "", func(c *annotation.NewComment) {
		c.Agent = &annotation.Agent{Source: "external", Name: "Bot", Reason: json.RawMessage(`{"title":"T","description":"D"}`)}
	}))))
	recorded := func() []string {
		return d.Rows(`SELECT concat_ws('|', i.revision, j.reasoning, j.content, j.user_id, j.user_name) FROM judgments j JOIN judgment_index i ON i.key = j.key ORDER BY j.key`)
	}
	ids := d.Rows(`SELECT record_id FROM judgments ORDER BY key`)
	require.Equal(t, []string{"1|first||ann|Ann", "1|T\nD|first|bot|bot"}, recorded())
	d.Adds(modelstest.Acme, modelstest.Known("ann", "Anna"))
	edit(d, editing(annotation.EditedFields{Words: says("second {{bob}}")}, 1, 2))
	require.Equal(t, []string{"2|second Bob||ann|Ann", "2|second Bob|first|bot|bot"}, recorded(), "of the same person, about the same thing")
	edit(d, editing(annotation.EditedFields{Words: &annotation.Words{Text: "second {{bob}}", HTML: "<b>second {{bob}}</b>", Tags: []string{"bob"}}}, 1))
	require.Equal(t, "2|second Bob||ann|Ann", recorded()[0], "it says the same")
	edit(d, editing(annotation.EditedFields{Words: says(" "), From: &person.Person{UserID: "bob"}}, 2))
	require.Equal(t, "3|T\nD|first|bob|Bob", recorded()[1], "what the agent found is left")
	require.Equal(t, ids, d.Rows(`SELECT record_id FROM judgments ORDER BY key`))

	edit(d, editing(annotation.EditedFields{Words: says("")}, 1))
	require.Equal(t, []string{"3|T\nD|first|bob|Bob"}, recorded(), "a comment that says nothing has none")
	require.Equal(t, []string{"3"}, d.Rows(`SELECT revision::text FROM judgment_index ORDER BY key LIMIT 1`), "and the index is to lose it")
	gone, err := judgment.New(d.DB).Delete(t.Context(), modelstest.Workspace, ids)
	require.NoError(t, err)
	require.Equal(t, ids[1:], gone)
	edit(d, editing(annotation.EditedFields{Words: says("third")}, 1, 2))
	require.Equal(t, []string{"1|third||ann|Ann"}, recorded(), "an edit brings back none that was deleted")
}

// A comment without text has no judgment; the edit that gives it one makes it, as an added
// comment does. Taking the text away and giving it another one makes it again, unless the
// judgment was deleted.
func TestAnEditThatGivesTextMakesAJudgment(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "root"), modelstest.Says("bob", " "))))
	replies := func() []string {
		return d.Rows(`SELECT concat_ws('|', j.reasoning, j.content, j.content_type, j.confidence, j.user_id, j.annotation_id, NOT i.indexed)
FROM judgments j JOIN judgment_index i ON i.key = j.key WHERE j.origin_id LIKE '%/2'`)
	}
	said := func(text string) {
		t.Helper()
		edit(d, editing(annotation.EditedFields{Words: says(text)}, 2))
	}
	page := json.RawMessage(`{"page":2}`)
	edit(d, editing(annotation.EditedFields{Context: &page}, 2))
	require.Empty(t, replies(), "it says nothing yet")
	said("first")
	require.Equal(t, []string{"first|root|comment|0.5|bob|a|t"}, replies())
	first := d.Rows(`SELECT record_id FROM judgments WHERE reasoning = 'first'`)
	said("second")
	require.Equal(t, first, d.Rows(`SELECT record_id FROM judgments WHERE reasoning = 'second'`))
	for _, again := range []string{"third", "fourth"} {
		said("")
		require.Empty(t, replies())
		said(again)
		require.Equal(t, []string{again + "|root|comment|0.5|bob|a|t"}, replies())
	}
	gone, err := judgment.New(d.DB).Delete(t.Context(), modelstest.Workspace, d.Rows(`SELECT record_id FROM judgments WHERE reasoning = 'fourth'`))
	require.NoError(t, err)
	require.Len(t, gone, 1)
	for _, text := range []string{"fifth", "", "sixth"} {
		said(text)
		require.Empty(t, replies())
	}
}

// Who edits comments and who deletes their judgments do not wait for each other in a circle.
func TestEditsAndDeletionsOfJudgmentsAtOnce(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	for range 15 {
		d.Exec(`DELETE FROM annotations`)
		d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "1"), modelstest.Says("ann", "2"), modelstest.Says("ann", "3"))))
		records := d.Rows(`SELECT record_id FROM judgments WHERE annotation_id = 'a'`)
		for _, err := range modelstest.ErrorsOf(3, func(i int) error {
			if i == 0 {
				_, err := judgment.New(d.DB).Delete(context.Background(), modelstest.Workspace, records)
				return err
			}
			words := []string{"", "", "other"}[i]
			_, err := d.Notes.EditComments(context.Background(), modelstest.Workspace, editing(annotation.EditedFields{Words: says(words)}, 3, 1, 2))
			return err
		}) {
			require.NoError(t, err)
		}
		require.Empty(t, d.Rows(`SELECT reasoning FROM judgments WHERE record_id = ANY ($1)`, records))
	}
}
