package annotation_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestWhoIsNotified(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	first := modelstest.Note("first", modelstest.Says("ann", "hi", modelstest.Flagged("ann", "bob", "bob", "eve")), modelstest.Says("bob", "yes"), modelstest.Says("cat", "no", modelstest.Flagged("ann")))
	first.Assigned = &person.Person{UserID: "dan"}
	d.Add("d", first, modelstest.Note("silent", modelstest.Says("ann", "hi", func(c *annotation.NewComment) { c.Tags = []string{"bob"} })),
		modelstest.Restricted(modelstest.Note("some", modelstest.Says("ann", "hi", modelstest.Flagged("bob", "eve"))), "bob"))
	require.Equal(t, []string{
		"first 1 bob mention", "first 1 dan assignment", "first 1 eve mention",
		"first 3 ann mention", "first 3 bob reply", "some 1 bob mention",
	}, d.Rows(`SELECT concat_ws(' ', a.annotation_id, n.comment_seq, r.user_id, r.reason) FROM notifications n
JOIN annotations a ON a.key = n.annotation_key JOIN notification_recipients r ON r.notification_id = n.id ORDER BY 1`))
	d.Exec(`UPDATE documents SET access = 'restricted'`)
	d.Add("d", modelstest.Note("closed", modelstest.Says("ann", "hi", modelstest.Flagged("bob"))))
	require.Empty(t, d.Rows(`SELECT n.id FROM notifications n JOIN annotations a ON a.key = n.annotation_key WHERE a.annotation_id = 'closed'`),
		"nobody who may not read the document")
	many := make([]annotation.NewAnnotation, 100)
	for i := range many {
		many[i] = modelstest.Note("", modelstest.Says("ann", "hi", modelstest.Flagged("bob")))
	}
	d.Add("busy", many...)
	require.Equal(t, []string{"100"}, d.Rows(`SELECT count(*)::text FROM notifications n JOIN annotations a ON a.key = n.annotation_key
JOIN documents d ON d.key = a.document_key WHERE d.document_id = 'busy'`))
}

func TestNotificationsGoAfterTheirDays(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	for _, id := range []string{"a", "b", "c"} {
		d.Add("d", modelstest.Note(id, modelstest.Says("ann", "hi", modelstest.Flagged("bob", "cat"))))
	}
	d.Exec(`UPDATE notifications SET created_at = created_at - make_interval(days => 181)
		WHERE annotation_key IN (SELECT key FROM annotations WHERE annotation_id <> 'c')`)
	d.Exec(`CREATE TABLE gone (xid bigint)`)
	d.Exec(`CREATE FUNCTION note_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO gone VALUES (txid_current()); RETURN OLD; END $$`)
	for _, table := range []string{"notifications", "notification_recipients"} {
		d.Exec(`CREATE TRIGGER gone BEFORE DELETE ON ` + table + ` FOR EACH ROW EXECUTE FUNCTION note_gone()`)
	}
	removed, err := d.Notified.Expire(t.Context(), 180, 1)
	require.NoError(t, err)
	require.EqualValues(t, 2, removed)
	require.Equal(t, slices.Repeat([]string{"1"}, 6), d.Rows(`SELECT count(*)::text FROM gone GROUP BY xid`), "none goes along with another one")
	require.Equal(t, []string{"c"}, d.Rows(`SELECT a.annotation_id FROM notifications n JOIN annotations a ON a.key = n.annotation_key`))
	require.Equal(t, []string{"bob", "cat"}, d.Rows(`SELECT user_id FROM notification_recipients ORDER BY 1`), "with their recipients")
}

func TestAnnotationsAdd_6And7_PeopleAndDataAreKeptAsTheyWere(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	email := "ann@x.y"
	ann := modelstest.Known("ann", "Ann")
	ann.Email = &email
	d.Adds(modelstest.Acme, ann, modelstest.Known("bob", "Bob"))
	name := "Annie"
	first := modelstest.Note("a", modelstest.Says("ann", "hi {{bob}}", modelstest.Flagged("bob")), annotation.NewComment{Content: annotation.Content{From: person.Person{UserID: "ann", Name: &name}, Text: "x"}}, modelstest.Says("eve", "y"))
	first.Assigned = &person.Person{UserID: "bob"}
	first.Context = json.RawMessage(`{ "n": 12345678901234567890, "f": 0.1000 }`)
	first.Comments[1].Agent = &annotation.Agent{Source: "svc", ID: "spell-check", Name: "ignored", Reason: json.RawMessage(`{"title":"t","description":"d","severity":"low","findingId":"f1","x":1.10}`)}
	added := d.Add("d", first)
	require.Empty(t, added[0].FindingID, "an agent of a reply is not the annotation's")
	require.Equal(t, []string{
		`{"userId":"ann","name":"Ann","email":"ann@x.y","initial":"A"}`, `{"userId":"ann","name":"Annie","email":"ann@x.y","initial":"A"}`,
		`{"userId":"eve","initial":""}`,
	}, d.Rows(`SELECT author::text FROM comments ORDER BY seq`))
	require.Equal(t, []string{`{ "n": 12345678901234567890, "f": 0.1000 }`}, d.Rows(`SELECT context::text FROM annotations`))
	require.Equal(t, []string{`{"userId":"bob","name":"Bob","initial":"B"}`}, d.Rows(`SELECT assigned::text FROM annotations`))
	require.Equal(t, []string{`[{"userId":"bob","contact":{"userId":"bob","name":"Bob"}}]`}, d.Rows(`SELECT contacts::text FROM comments WHERE contacts IS NOT NULL`))
	require.Equal(t, []string{"built-in Spell check 1.10"}, d.Rows(`SELECT concat_ws(' ', agent->>'agentType', agent->>'agentName', agent->'reason'->>'x') FROM comments WHERE seq = 2`))
	require.Equal(t, []string{"true"}, d.Rows(`SELECT (agent IS NULL)::text FROM annotations`))
	d.Adds(modelstest.Acme, modelstest.Known("ann", "New"))
	require.Contains(t, d.Rows(`SELECT author::text FROM annotations`)[0], `"Ann"`, "a snapshot stays")
	own := modelstest.Note("own", modelstest.Says("ann", "x", func(c *annotation.NewComment) {
		c.Agent = &annotation.Agent{Source: "external", Name: "Bot", Reason: json.RawMessage(`{"findingId":"f2"}`)}
	}))
	require.Equal(t, "f2", d.Add("d", own)[0].FindingID)
	unknown := modelstest.Note("", modelstest.Says("ann", "x", func(c *annotation.NewComment) { c.Agent = &annotation.Agent{Source: "svc", ID: "Spell-Check"} }))
	_, err := d.Notes.Add(t.Context(), modelstest.Workspace, annotation.Addition{Container: modelstest.In("d"), Annotations: []annotation.NewAnnotation{unknown}})
	require.True(t, fault.Is(err, fault.StatusNotFound))
	require.Equal(t, []string{"Spell-Check"}, fault.From(err).Details.AgentIDs)
}

// A registered agent counts before a built-in one of its id, and its name at the
// time of writing stays.
func TestCommentsKeepTheAgentsOfTheirTime(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	by := func(agentID string) annotation.NewAnnotation {
		return modelstest.Note("", modelstest.Says("ann", "x", func(c *annotation.NewComment) {
			c.Agent = &annotation.Agent{Source: "svc", ID: agentID, Reason: json.RawMessage(`{"title":"t"}`)}
		}))
	}
	d.Add("d", by("spell-check"))
	d.Exec(`INSERT INTO agents (workspace_id, agent_id, name, url, disabled)
		SELECT id, n, 'Our ' || n, 'https://agents.example.com', true FROM workspaces, unnest('{spell-check,checker}'::text[]) n`)
	d.Add("d", by("spell-check"), by("checker"))
	d.Exec(`DELETE FROM agents`)
	require.Equal(t, []string{"built-in Spell check", "custom Our checker", "custom Our spell-check"},
		d.Rows(`SELECT concat_ws(' ', agent->>'agentType', agent->>'agentName') FROM comments ORDER BY 1`))
}

func TestCommentsAreJudgments(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Adds(modelstest.Acme, modelstest.Known("bob", "Bob"))
	created := int64(1_500_000_000_123)
	about := modelstest.Note("a", modelstest.Says("bob", "Which {{bob}} is it, {{eve}}?", func(c *annotation.NewComment) { c.Tags, c.CreatedMs = []string{"bob", "eve"}, &created }),
		modelstest.Says("eve", " \n"), modelstest.Says("eve", "This one."), modelstest.Says("bot", "", func(c *annotation.NewComment) {
			c.Agent = &annotation.Agent{Source: "external", Name: "Bot", Reason: json.RawMessage(`{"title":"T","description":"D","confidence":73,"CONFIDENCE":9000}`)}
		}))
	about.Context = json.RawMessage(`{"contentType":"article","ContentType":"no"}`)
	target := modelstest.Note("b", modelstest.Says("ann", strings.Repeat("é", 10), modelstest.Flagged()))
	target.Target = json.RawMessage(`{"targetText":"the target"}`)
	d.Add("d", about, target)
	require.Equal(t, []string{
		"article|Which Bob is it, eve?||0.5|human|Bob|1500000000123",
		"article|This one.|Which Bob is it, eve?|0.5|human|eve|",
		"article|T\nD|Which Bob is it, eve?|0.73|agent|bot|",
		"comment|éééééééééé|the target|0.5|human|ann|",
	}, d.Rows(`SELECT concat_ws('|', content_type, reasoning, content, confidence, judge_type, user_name,
CASE WHEN created_at < '2020-01-01' THEN (extract(epoch FROM created_at) * 1000)::bigint::text ELSE '' END) FROM judgments
ORDER BY annotation_id, origin_id`))
	thread := d.Judgments(judgment.Filter{OrganizationID: "acme", AnnotationID: "a"})
	require.Len(t, thread, 3)
	require.Equal(t, created, thread[0].CreatedAt, "oldest first")
	require.JSONEq(t, `{"agentId":null,"agentType":"external","agentName":"Bot","executionId":null,
"agentFields":{"url":null,"reason":{"title":"T","description":"D","confidence":73,"CONFIDENCE":9000}}}`, string(thread[2].Agent))
}

// White space is no target, no type of content and no name.
func TestJudgmentsOfCommentsWithoutATarget(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	blank := modelstest.Note("a", modelstest.Says("ann", "First."), modelstest.Says("bob", "Second.", func(c *annotation.NewComment) {
		c.From.Name = new(" \t")
	}))
	blank.Target, blank.Context = json.RawMessage(`{"targetText":" \n"}`), json.RawMessage(`{"contentType":" "}`)
	d.Add("d", blank)
	require.Equal(t, []string{"comment|First.||ann", "comment|Second.|First.|bob"},
		d.Rows(`SELECT concat_ws('|', content_type, reasoning, content, user_name) FROM judgments ORDER BY origin_id`))
}

// A comment with HTML alone says what the HTML says.
func TestCommentsWithoutTextAreJudgedByTheirHTML(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Adds(modelstest.Acme, modelstest.Known("bob", "Bob"))
	html := func(markup string, tags ...string) func(*annotation.NewComment) {
		return func(c *annotation.NewComment) { c.HTML, c.Tags = markup, tags }
	}
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", " ", html("<p>Ask <b>{{bob}}</b></p><p>first</p>", "bob")), modelstest.Says("bob", "", html("<p> <br></p>")), modelstest.Says("bob", "text", html("<p>other</p>"))))
	require.Equal(t, []string{"Ask Bob\nfirst|", "text|Ask Bob\nfirst"},
		d.Rows(`SELECT concat_ws('|', reasoning, content) FROM judgments ORDER BY origin_id`))
}

func TestAuthorsBecomeMembersWhereTheWorkspaceWantsIt(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("", modelstest.Says("ann", "a")))
	require.Empty(t, d.Rows(`SELECT user_id FROM profiles`), "nobody becomes a member by writing")
	d.Exec(`UPDATE workspaces SET auto_members = true`)
	viewer := modelstest.Known("vic", "Vic")
	viewer.Role = "viewer"
	d.Adds(modelstest.Acme, viewer)
	for _, err := range modelstest.ErrorsOf(10, func(int) error {
		_, err := d.Notes.Add(context.Background(), modelstest.Workspace, annotation.Addition{Container: modelstest.In("d"), Annotations: []annotation.NewAnnotation{
			modelstest.Note("", modelstest.Says("ann", "a"), modelstest.Says("vic", "b")),
		}})
		return err
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"ann editor", "vic viewer"}, d.Rows(`SELECT user_id || ' ' || role FROM grants ORDER BY 1`))
}

// Whoever changes people is waited for only by an add that makes members, too.
func TestAuthorsWhoAreMembersDoNotWaitForPeople(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Exec(`UPDATE workspaces SET auto_members = true`)
	d.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"), modelstest.Known("old", "Old"))
	d.Exec(`UPDATE grants SET expires_at = clock_timestamp() WHERE user_id = 'old'`)
	add := func(ctx context.Context, comments ...annotation.NewComment) error {
		_, err := d.Notes.Add(ctx, modelstest.Workspace, annotation.Addition{Container: modelstest.In("d"), Annotations: []annotation.NewAnnotation{modelstest.Note("", comments...)}})
		return err
	}
	for i, stranger := range []string{"eve", "old"} {
		tx, err := d.DB.Pool.Begin(t.Context())
		require.NoError(t, err)
		defer func() { _ = tx.Rollback(context.Background()) }()
		_, err = tx.Exec(t.Context(), `SELECT FROM organizations FOR NO KEY UPDATE`)
		require.NoError(t, err)
		limited, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, add(limited, modelstest.Says("ann", "a")))
		joined := make(chan error, 1)
		go func() {
			joined <- add(context.Background(), modelstest.Says("ann", "a"), modelstest.Says(stranger, "b"))
		}()
		modelstest.AwaitWaiting(t, d.DB, 1)
		_, err = tx.Exec(t.Context(), `UPDATE profiles SET name = 'Known' WHERE user_id = $1`, stranger)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(t.Context()))
		require.NoError(t, <-joined)
		require.Len(t, d.Rows(`SELECT user_id FROM grants WHERE coalesce(expires_at > clock_timestamp(), true)`), i+2)
	}
	require.Equal(t, []string{"ann Ann", "eve ", "old Known"}, d.Rows(`SELECT concat_ws(' ', user_id, coalesce(name, '')) FROM profiles ORDER BY 1`))
}

func TestPrivateAnnotationsCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Exec(`UPDATE workspaces SET private_comments = false`)
	_, err := d.Notes.Add(t.Context(), modelstest.Workspace, annotation.Addition{
		Container:   directory.Container{OrganizationID: "nowhere", DocumentID: "d"},
		Annotations: []annotation.NewAnnotation{modelstest.Restricted(modelstest.Note("", modelstest.Says("ann", "a")), "bob")},
	})
	require.Equal(t, "private-comments-disabled", fault.From(err).Reason)
	d.Add("d", modelstest.Note("", modelstest.Says("ann", "a")))
}

// 200 annotations of one time page through, each once; slots keep their order.
func TestAnnotationsPageThrough(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	same := int64(1_700_000_000_000)
	for range 2 {
		notes := make([]annotation.NewAnnotation, 100)
		for i := range notes {
			notes[i] = modelstest.Note("", modelstest.Says("ann", "a"))
			notes[i].UpdateMs = &same
		}
		d.Add("d", notes...)
	}
	f := view.Filter{OrganizationID: "acme", DocumentID: "d"}
	seen := map[string]bool{}
	var after *view.Position
	for pages := 1; ; pages++ {
		page, err := d.Reads.Get(t.Context(), modelstest.Workspace, f, after, 7)
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
	page, err := d.Reads.Get(t.Context(), modelstest.Workspace, f, nil, 2)
	require.NoError(t, err)
	require.Equal(t, []*view.View{nil, nil}, page.Items)
	page, err = d.Reads.Get(t.Context(), modelstest.Workspace, f, page.Next, 2)
	require.NoError(t, err)
	require.Equal(t, []*view.View{nil}, page.Items)
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
func TestLong_AnnotationsGet_4_AHundredThousandAreNoEndlessPage(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("first", modelstest.Says("ann", "a")))
	_, err := d.DB.Pool.Exec(t.Context(), manyAnnotations)
	require.NoError(t, err)
	f := view.Filter{OrganizationID: "acme", DocumentID: "d"}
	page, err := d.Reads.Get(t.Context(), modelstest.Workspace, f, nil, 1000)
	require.NoError(t, err)
	require.Len(t, page.Items, 1000)
	require.Equal(t, "n099999", page.Items[0].AnnotationID, "the latest change first")
	next, err := d.Reads.Get(t.Context(), modelstest.Workspace, f, page.Next, 1000)
	require.NoError(t, err)
	require.Len(t, next.Items, 1000)
	require.Equal(t, "n098999", next.Items[0].AnnotationID)
	require.NotNil(t, next.Next)
}

// A page ends early where its threads are large, and always has an item.
func TestLargeThreadsEndAPageEarly(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	large := strings.Repeat("x", 3<<20)
	for _, annotationID := range []string{"a", "b", "c", "d"} {
		d.Add("d", modelstest.Note(annotationID, modelstest.Says("ann", large)))
	}
	f := view.Filter{OrganizationID: "acme", DocumentID: "d"}
	page, err := d.Reads.Get(t.Context(), modelstest.Workspace, f, nil, 100)
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	page, err = d.Reads.Get(t.Context(), modelstest.Workspace, f, page.Next, 100)
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	require.Nil(t, page.Next)
	d.Add("d", modelstest.Note("e", modelstest.Says("ann", large+large)))
	f.IDs = []string{"a", "e", "b"}
	page, err = d.Reads.Get(t.Context(), modelstest.Workspace, f, nil, 100)
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	page, err = d.Reads.Get(t.Context(), modelstest.Workspace, f, page.Next, 100)
	require.NoError(t, err)
	require.Equal(t, "e", page.Items[0].AnnotationID)
	require.Len(t, page.Items, 1)
	require.NotNil(t, page.Next)
}
