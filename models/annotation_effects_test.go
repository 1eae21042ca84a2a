package models_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models"
)

func TestWhoIsNotified(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := note("first", says("ann", "hi", flagged("ann", "bob", "bob", "eve")), says("bob", "yes"), says("cat", "no", flagged("ann")))
	first.Assigned = &person.Person{UserID: "dan"}
	d.add("d", first, note("silent", says("ann", "hi", func(c *models.NewComment) { c.Tags = []string{"bob"} })),
		restricted(note("some", says("ann", "hi", flagged("bob", "eve"))), "bob"))
	require.Equal(t, []string{
		"first 1 bob mention", "first 1 dan assignment", "first 1 eve mention",
		"first 3 ann mention", "first 3 bob reply", "some 1 bob mention",
	}, d.rows(`SELECT concat_ws(' ', a.annotation_id, n.comment_seq, r.user_id, r.reason) FROM notifications n
JOIN annotations a ON a.key = n.annotation_key JOIN notification_recipients r ON r.notification_id = n.id ORDER BY 1`))
	d.exec(`UPDATE documents SET access = 'restricted'`)
	d.add("d", note("closed", says("ann", "hi", flagged("bob"))))
	require.Empty(t, d.rows(`SELECT n.id FROM notifications n JOIN annotations a ON a.key = n.annotation_key WHERE a.annotation_id = 'closed'`),
		"nobody who may not read the document")
	many := make([]models.NewAnnotation, 100)
	for i := range many {
		many[i] = note("", says("ann", "hi", flagged("bob")))
	}
	d.add("busy", many...)
	require.Equal(t, []string{"100"}, d.rows(`SELECT count(*)::text FROM notifications n JOIN annotations a ON a.key = n.annotation_key
JOIN documents d ON d.key = a.document_key WHERE d.document_id = 'busy'`))
}

func TestAnnotationsAdd_6And7_PeopleAndDataAreKeptAsTheyWere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	email := "ann@x.y"
	ann := known("ann", "Ann")
	ann.Email = &email
	d.adds(acme, ann, known("bob", "Bob"))
	name := "Annie"
	first := note("a", says("ann", "hi {{bob}}", flagged("bob")), models.NewComment{From: person.Person{UserID: "ann", Name: &name}, Text: "x"}, says("eve", "y"))
	first.Assigned = &person.Person{UserID: "bob"}
	first.Context = json.RawMessage(`{ "n": 12345678901234567890, "f": 0.1000 }`)
	first.Comments[1].Agent = &models.NewAgent{Source: "svc", ID: "spell-check", Name: "ignored", Reason: json.RawMessage(`{"title":"t","description":"d","severity":"low","findingId":"f1","x":1.10}`)}
	added := d.add("d", first)
	require.Empty(t, added[0].FindingID, "an agent of a reply is not the annotation's")
	require.Equal(t, []string{
		`{"userId":"ann","name":"Ann","email":"ann@x.y","initial":"A"}`, `{"userId":"ann","name":"Annie","email":"ann@x.y","initial":"A"}`,
		`{"userId":"eve","initial":""}`,
	}, d.rows(`SELECT author::text FROM comments ORDER BY seq`))
	require.Equal(t, []string{`{ "n": 12345678901234567890, "f": 0.1000 }`}, d.rows(`SELECT context::text FROM annotations`))
	require.Equal(t, []string{`{"userId":"bob","name":"Bob","initial":"B"}`}, d.rows(`SELECT assigned::text FROM annotations`))
	require.Equal(t, []string{`[{"userId":"bob","contact":{"userId":"bob","name":"Bob"}}]`}, d.rows(`SELECT contacts::text FROM comments WHERE contacts IS NOT NULL`))
	require.Equal(t, []string{"built-in Spell check 1.10"}, d.rows(`SELECT concat_ws(' ', agent->>'agentType', agent->>'agentName', agent->'reason'->>'x') FROM comments WHERE seq = 2`))
	require.Equal(t, []string{"true"}, d.rows(`SELECT (agent IS NULL)::text FROM annotations`))
	d.adds(acme, known("ann", "New"))
	require.Contains(t, d.rows(`SELECT author::text FROM annotations`)[0], `"Ann"`, "a snapshot stays")
	own := note("own", says("ann", "x", func(c *models.NewComment) {
		c.Agent = &models.NewAgent{Source: "external", Name: "Bot", Reason: json.RawMessage(`{"findingId":"f2"}`)}
	}))
	require.Equal(t, "f2", d.add("d", own)[0].FindingID)
	unknown := note("", says("ann", "x", func(c *models.NewComment) { c.Agent = &models.NewAgent{Source: "svc", ID: "Spell-Check"} }))
	_, err := d.notes.Add(t.Context(), workspace, models.AnnotationsAdd{Container: in("d"), Annotations: []models.NewAnnotation{unknown}})
	require.True(t, fault.Is(err, fault.NotFound))
	require.Equal(t, []string{"Spell-Check"}, fault.From(err).Details.AgentIDs)
}

func TestCommentsAreJudgments(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.adds(acme, known("bob", "Bob"))
	created := int64(1_500_000_000_123)
	about := note("a", says("bob", "Which {{bob}} is it, {{eve}}?", func(c *models.NewComment) { c.Tags, c.CreatedMs = []string{"bob", "eve"}, &created }),
		says("eve", " \n"), says("eve", "This one."), says("bot", "", func(c *models.NewComment) {
			c.Agent = &models.NewAgent{Source: "external", Name: "Bot", Reason: json.RawMessage(`{"title":"T","description":"D","confidence":73,"CONFIDENCE":9000}`)}
		}))
	about.Context = json.RawMessage(`{"contentType":"article","ContentType":"no"}`)
	target := note("b", says("ann", strings.Repeat("é", 10), flagged()))
	target.Target = json.RawMessage(`{"targetText":"the target"}`)
	d.add("d", about, target)
	require.Equal(t, []string{
		"article|Which Bob is it, eve?||0.5|human|Bob|1500000000123",
		"article|This one.|Which Bob is it, eve?|0.5|human|eve|",
		"article|T\nD|Which Bob is it, eve?|0.73|agent|bot|",
		"comment|éééééééééé|the target|0.5|human|ann|",
	}, d.rows(`SELECT concat_ws('|', content_type, reasoning, content, confidence, judge_type, user_name,
CASE WHEN created_at < '2020-01-01' THEN (extract(epoch FROM created_at) * 1000)::bigint::text ELSE '' END) FROM judgments
ORDER BY annotation_id, origin_id`))
	thread := d.judgments(models.JudgmentFilter{OrganizationID: "acme", AnnotationID: "a"})
	require.Len(t, thread, 3)
	require.Equal(t, created, thread[0].CreatedAt, "oldest first")
	require.JSONEq(t, `{"agentId":null,"agentType":"external","agentName":"Bot","executionId":null,
"agentFields":{"url":null,"reason":{"title":"T","description":"D","confidence":73,"CONFIDENCE":9000}}}`, string(thread[2].Agent))
}

// A comment with HTML alone says what the HTML says.
func TestCommentsWithoutTextAreJudgedByTheirHTML(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.adds(acme, known("bob", "Bob"))
	html := func(markup string, tags ...string) func(*models.NewComment) {
		return func(c *models.NewComment) { c.HTML, c.Tags = markup, tags }
	}
	d.add("d", note("a", says("ann", " ", html("<p>Ask <b>{{bob}}</b></p><p>first</p>", "bob")), says("bob", "", html("<p> <br></p>")), says("bob", "text", html("<p>other</p>"))))
	require.Equal(t, []string{"Ask Bob\nfirst|", "text|Ask Bob\nfirst"},
		d.rows(`SELECT concat_ws('|', reasoning, content) FROM judgments ORDER BY origin_id`))
}

func TestAuthorsBecomeMembersWhereTheWorkspaceWantsIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("d", note("", says("ann", "a")))
	require.Empty(t, d.rows(`SELECT user_id FROM profiles`), "nobody becomes a member by writing")
	d.exec(`UPDATE workspaces SET auto_members = true`)
	viewer := known("vic", "Vic")
	viewer.Role = "viewer"
	d.adds(acme, viewer)
	for _, err := range errorsOf(10, func(int) error {
		_, err := d.notes.Add(context.Background(), workspace, models.AnnotationsAdd{Container: in("d"), Annotations: []models.NewAnnotation{
			note("", says("ann", "a"), says("vic", "b")),
		}})
		return err
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"ann editor", "vic viewer"}, d.rows(`SELECT user_id || ' ' || role FROM grants ORDER BY 1`))
}

// Whoever changes people is waited for only by an add that makes members, too.
func TestAuthorsWhoAreMembersDoNotWaitForPeople(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(`UPDATE workspaces SET auto_members = true`)
	d.adds(acme, known("ann", "Ann"), known("old", "Old"))
	d.exec(`UPDATE grants SET expires_at = clock_timestamp() WHERE user_id = 'old'`)
	add := func(ctx context.Context, comments ...models.NewComment) error {
		_, err := d.notes.Add(ctx, workspace, models.AnnotationsAdd{Container: in("d"), Annotations: []models.NewAnnotation{note("", comments...)}})
		return err
	}
	for i, stranger := range []string{"eve", "old"} {
		tx, err := d.db.Pool.Begin(t.Context())
		require.NoError(t, err)
		defer func() { _ = tx.Rollback(context.Background()) }()
		_, err = tx.Exec(t.Context(), `SELECT FROM organizations FOR NO KEY UPDATE`)
		require.NoError(t, err)
		limited, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		require.NoError(t, add(limited, says("ann", "a")))
		joined := make(chan error, 1)
		go func() { joined <- add(context.Background(), says("ann", "a"), says(stranger, "b")) }()
		awaitWaiting(t, d.db, 1)
		_, err = tx.Exec(t.Context(), `UPDATE profiles SET name = 'Known' WHERE user_id = $1`, stranger)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(t.Context()))
		require.NoError(t, <-joined)
		require.Len(t, d.rows(`SELECT user_id FROM grants WHERE coalesce(expires_at > clock_timestamp(), true)`), i+2)
	}
	require.Equal(t, []string{"ann Ann", "eve ", "old Known"}, d.rows(`SELECT concat_ws(' ', user_id, coalesce(name, '')) FROM profiles ORDER BY 1`))
}

func TestPrivateAnnotationsCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(`UPDATE workspaces SET private_comments = false`)
	_, err := d.notes.Add(t.Context(), workspace, models.AnnotationsAdd{
		Container:   models.Container{OrganizationID: "nowhere", DocumentID: "d"},
		Annotations: []models.NewAnnotation{restricted(note("", says("ann", "a")), "bob")},
	})
	require.Equal(t, "private-comments-disabled", fault.From(err).Reason)
	d.add("d", note("", says("ann", "a")))
}

// 200 annotations of one time page through, each once; slots keep their order.
func TestAnnotationsPageThrough(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	same := int64(1_700_000_000_000)
	for range 2 {
		notes := make([]models.NewAnnotation, 100)
		for i := range notes {
			notes[i] = note("", says("ann", "a"))
			notes[i].UpdateMs = &same
		}
		d.add("d", notes...)
	}
	f := models.AnnotationFilter{OrganizationID: "acme", DocumentID: "d"}
	seen := map[string]bool{}
	var after *models.AnnotationPosition
	for pages := 1; ; pages++ {
		page, err := d.notes.Get(t.Context(), workspace, f, after, 7)
		require.NoError(t, err)
		for _, item := range page.Items {
			require.False(t, seen[item.AnnotationID])
			seen[item.AnnotationID] = true
			require.Len(t, item.Comments, 1)
		}
		if after = page.Next; after == nil {
			require.Equal(t, 29, pages)
			break
		}
	}
	require.Len(t, seen, 200)
	f.IDs = []string{"x", "y", "x", "z"}
	page, err := d.notes.Get(t.Context(), workspace, f, nil, 2)
	require.NoError(t, err)
	require.Equal(t, []*models.AnnotationView{nil, nil}, page.Items)
	page, err = d.notes.Get(t.Context(), workspace, f, page.Next, 2)
	require.NoError(t, err)
	require.Equal(t, []*models.AnnotationView{nil}, page.Items)
	require.Nil(t, page.Next)
}

// manyAnnotations makes 100,000 of the one that is there, each changed later.
const manyAnnotations = `
INSERT INTO annotations (workspace_id, annotation_id, document_key, author_id, author, kind, comment_type, status_id, status, visibility,
       created_ms, updated_ms, comment_count, last_seq, last_author, other_seq, thread_bytes)
SELECT workspace_id, 'n' || lpad(i::text, 6, '0'), document_key, author_id, author, kind, comment_type, status_id, status, visibility,
       created_ms, updated_ms + 1 + i, comment_count, last_seq, last_author, other_seq, thread_bytes
FROM annotations, generate_series(0, 99999) i`

// 100,000 annotations of a document are pages of a thousand.
func TestAnnotationsGet_4_AHundredThousandAreNoEndlessPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add("d", note("first", says("ann", "a")))
	_, err := d.db.Pool.Exec(t.Context(), manyAnnotations)
	require.NoError(t, err)
	f := models.AnnotationFilter{OrganizationID: "acme", DocumentID: "d"}
	page, err := d.notes.Get(t.Context(), workspace, f, nil, 1000)
	require.NoError(t, err)
	require.Len(t, page.Items, 1000)
	require.Equal(t, "n099999", page.Items[0].AnnotationID, "the latest change first")
	next, err := d.notes.Get(t.Context(), workspace, f, page.Next, 1000)
	require.NoError(t, err)
	require.Len(t, next.Items, 1000)
	require.Equal(t, "n098999", next.Items[0].AnnotationID)
	require.NotNil(t, next.Next)
}

// A page ends early where its threads are large, and always has an item.
func TestLargeThreadsEndAPageEarly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	large := strings.Repeat("x", 3<<20)
	for _, annotationID := range []string{"a", "b", "c", "d"} {
		d.add("d", note(annotationID, says("ann", large)))
	}
	f := models.AnnotationFilter{OrganizationID: "acme", DocumentID: "d"}
	page, err := d.notes.Get(t.Context(), workspace, f, nil, 100)
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	page, err = d.notes.Get(t.Context(), workspace, f, page.Next, 100)
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	require.Nil(t, page.Next)
	d.add("d", note("e", says("ann", large+large+large)))
	f.IDs = []string{"a", "e", "b"}
	page, err = d.notes.Get(t.Context(), workspace, f, nil, 100)
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	page, err = d.notes.Get(t.Context(), workspace, f, page.Next, 100)
	require.NoError(t, err)
	require.Equal(t, "e", page.Items[0].AnnotationID)
	require.Len(t, page.Items, 1)
	require.NotNil(t, page.Next)
}
