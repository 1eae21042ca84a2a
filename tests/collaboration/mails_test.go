package collaboration

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// inBoxes proves that these are the texts, below their first lines, of all mails
// to these addresses: each comes, and a mail caused later finds no others there.
func inBoxes(env *kit.Env, want map[string][]string) {
	env.T.Helper()
	for to, texts := range want {
		kit.Mails(env, to, len(texts))
	}
	marker := kit.Mailbox()
	kit.Mention(env, "marker", marker)
	kit.Mails(env, marker, 1)
	for to, texts := range want {
		found := []string{}
		for _, m := range kit.Mails(env, to, len(texts)) {
			_, text, _ := strings.Cut(strings.ReplaceAll(m.Text, "\r\n", "\n"), "\n\n")
			if text = strings.TrimSpace(text); text != "Hi marker" { // who wants all mails gets that one, too
				found = append(found, text)
			}
		}
		require.ElementsMatch(env.T, texts, found, "to %s", to)
	}
}

// assigned returns an annotation an assignee.
func assigned(annotation map[string]any, user map[string]any) map[string]any {
	annotation["assignedTo"] = user
	return annotation
}

func subjects(mails []kit.Caught) []string {
	var all []string
	for _, m := range mails {
		all = append(all, m.Subject)
	}
	return all
}

// nameOf is the name before the address of a header.
func nameOf(t *testing.T, header string) string {
	t.Helper()
	name, _, found := strings.Cut(header, "<")
	require.True(t, found, header)
	return strings.Trim(name, `" `)
}

func TestMails_2_NamesAndTextsAreHarmless(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{})
	to := kit.Mailbox()
	evil := "Ann\r\nBcc: " + kit.Mailbox() + "\r\n\r\n<script>alert(1)</script>"
	kit.AddPeople(env, kit.User("ann", evil, kit.Mailbox()), kit.User("bob", `<img src=x onerror=y>`, to))
	html := `<p onclick="x()">Hi {{bob}}<script>steal()</script><a href="javascript:x()">a</a><img src="https://e.test/t.gif"><b>bold</b></p>`
	env.Call(client.AddAnnotations, kit.Made("d", kit.Annotated("n1", kit.Wrote("ann", "Hi {{bob}}", kit.Loud, map[string]any{"commentHtml": html}))), nil)
	got := kit.Mails(env, to, 1)[0]
	require.NotContains(t, got.Headers, "bcc")
	require.Contains(t, got.Subject, "Ann Bcc:")
	for _, harm := range []string{"<script", "onclick", "javascript:", "<img", "steal()"} {
		require.NotContains(t, got.HTML, harm)
	}
	require.Contains(t, got.HTML, "&lt;img src=x onerror=y&gt;")
	require.Contains(t, got.HTML, "<b>bold</b>")
	read := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d"))
	require.Equal(t, html, read.Data[0].Comments[0].CommentHTML, "it reads as it was sent")
}

// A name of a user with a line break ends in no header of a mail to that user.
func TestMails_2_TheRecipientsOwnName(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{})
	to, other := kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("bob", "Bob\nBcc: "+other, to))
	env.Call(client.AddAnnotations, kit.Made("d", kit.Annotated("n1", kit.Wrote("ann", "Hi {{bob}}", kit.Loud))), nil)
	got := kit.Mails(env, to, 1)[0]
	require.Equal(t, []string{to}, got.To)
	require.NotContains(t, got.Headers, "bcc")
	require.Equal(t, "Bob Bcc: "+other, nameOf(t, got.Headers["to"]))
}

func TestMails_5_BeyondASCII(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{"fromCompany": "出版社 🖋"})
	local := "jörg-" + kit.Unique("box")
	to := local + "@bücher.example"
	kit.AddPeople(env, kit.User("ann", "Zoë Ångström", kit.Mailbox()), kit.User("李雷", "李雷 😀", to))
	data := kit.Made("Frühling/№1", kit.Annotated("n1", kit.Wrote("ann", "你好 {{李雷}} – größer", kit.Loud)))
	env.Call(client.AddAnnotations, data, nil)
	got := kit.Mails(env, to, 1)[0]
	require.Equal(t, []string{to}, got.To)
	require.Equal(t, "Zoë Ångström mentioned you in “Frühling/№1”", got.Subject)
	require.Contains(t, got.Text, "你好 李雷 😀 – größer")
	require.Contains(t, got.HTML, "你好 李雷 😀 – größer")
	require.Equal(t, "李雷 😀", nameOf(t, got.Headers["to"]))
	require.Equal(t, "出版社 🖋", nameOf(t, got.Headers["from"]))
}

// The relay of the operator serves a workspace of the free plan with so many
// recipients a day; on the paid plan the rest goes.
func TestMails_TheOperatorsRelayHasAQuota(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.Tight)
	kit.MailBy(env, map[string]any{})
	boxes := []string{kit.Mailbox(), kit.Mailbox(), kit.Mailbox()}
	for i, to := range boxes {
		kit.Mention(env, fmt.Sprintf("u%d", i), to)
		if i < 2 {
			kit.Mails(env, to, 1)
		}
	}
	kit.RequireEventually(t, "the third is refused", func() bool { return kit.Emails(env).LastFailure != nil })
	require.Equal(t, "relay-quota", kit.Emails(env).LastFailure.Class)
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	kit.MailBy(env, config)
	kit.Mention(env, "own", kit.Mailbox())
	kit.RequireEventually(t, "an own host has no quota", func() bool { return len(host.Letters()) == 1 })
	_, err := isolated.Run(t.Context(), "admin", "workspace", "set-plan", env.Workspace.ID, "paid")
	require.NoError(t, err)
	kit.MailBy(env, map[string]any{"type": "default"})
	paid := kit.Mailbox()
	kit.Mention(env, "paid", paid)
	kit.Mails(env, paid, 1)
	require.Empty(t, kit.Mails(env, boxes[2], 0), "what failed is not taken up again")
}

// Mails wait while their host is away; nobody else does.
func TestMails_1_AHostThatIsAway(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.FastWebhooks)
	host, config := kit.OwnHost(env)
	config["username"], config["password"] = "desk", "the password"
	kit.MailBy(env, config)
	to := kit.Mailbox()
	kit.Mention(env, "bob", to)
	kit.RequireEventually(t, "the host was not reached", func() bool { return kit.Emails(env).LastFailure != nil })
	require.NoError(t, host.Open())
	kit.RequireEventually(t, "the mail arrives", func() bool { return len(host.Letters()) > 0 })
	letter := host.Letters()[0]
	require.Equal(t, []string{to, "desk@tests.example.com", "desk", "the password"}, []string{letter.To, letter.From, letter.Username, letter.Password})
}

// shortMails lets what a worker was mailing when it died be begun again after 10 s.
const shortMails = "REDLINE_MAIL_TIMEOUT=5s"

// A worker that dies while a host has the mail in its hands: the mail arrives
// once more at most, under the same id.
func TestMails_6_AWorkerThatDiesWhileSending(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker", shortMails)
	env := isolated.NewWorkspace(api)
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	kit.MailBy(env, config)
	held, release := host.Hold()
	kit.Mention(env, "bob", kit.Mailbox())
	kit.RequireReached(t, "the host has the mail", held)
	worker.Kill()
	release()
	isolated.Restart(worker)
	const hold = 5 * time.Minute // what was under way is begun again when its hold ends
	kit.RequireWithin(t, hold, "the mail is handed over again", func() bool { return len(host.Letters()) > 1 })
	kit.Mention(env, "eve", kit.Mailbox())
	kit.RequireEventually(t, "the later mail", func() bool { return len(host.Letters()) > 2 })
	letters := host.Letters()
	require.Len(t, letters, 3)
	require.Equal(t, letters[0].Header.Get("Message-Id"), letters[1].Header.Get("Message-Id"))
	require.NotEqual(t, letters[0].Header.Get("Message-Id"), letters[2].Header.Get("Message-Id"))
	isolated.AtRest()
}

// A hundred comments tag one user; the worker is killed and started again. Each
// mail has an id of its own and comes under no other.
func TestMails_HundredCommentsOfOneAdd(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker", shortMails)
	env := isolated.NewWorkspace(api)
	kit.MailBy(env, map[string]any{})
	to := kit.Mailbox()
	kit.AddPeople(env, kit.User("bob", "Bob", to))
	notes := make([]map[string]any, 100)
	for i := range notes {
		notes[i] = kit.Annotated(fmt.Sprintf("n%d", i), kit.Wrote("ann", fmt.Sprintf("Number %d for {{bob}}", i), kit.Loud))
	}
	env.Call(client.AddAnnotations, kit.Made("d", notes...), nil)
	kit.Mails(env, to, 20)
	worker.Kill()
	isolated.Restart(worker)
	const hold = 5 * time.Minute
	byID := map[string]string{}
	kit.RequireWithin(t, hold, "a hundred different mails", func() bool {
		for _, m := range kit.Mails(env, to, 20) {
			text, known := byID[m.Headers["message-id"]]
			require.True(t, !known || text == m.Text, "one id, one text")
			byID[m.Headers["message-id"]] = m.Text
		}
		return len(byID) == 100
	})
	texts := map[string]bool{}
	for _, text := range byID {
		texts[text] = true
	}
	require.Len(t, texts, 100)
	isolated.AtRest()
}

// The call never waits for a mail host.
func TestMails_1_TheCallDoesNotWait(t *testing.T) {
	env := kit.NewWorkspace(t)
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	kit.MailBy(env, config)
	held, release := host.Hold()
	defer release()
	kit.Mention(env, "bob", kit.Mailbox())
	kit.RequireReached(t, "the host has the first mail and says nothing", held)
	ctx, cancel := context.WithTimeout(env.Ctx, kit.Patience)
	defer cancel()
	_, err := client.Call[json.RawMessage](ctx, env.Keyed, client.AddAnnotations,
		kit.Made("d", kit.Annotated("n1", kit.Wrote("ann", "Hi {{eve}}", kit.Loud, kit.Contact("eve", kit.Mailbox())))))
	require.NoError(t, err, "answered while the host holds the mail before it")
}
