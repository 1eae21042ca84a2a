package tests

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// caught is a mail in the catcher, which plays the operator's relay.
type caught struct {
	From    string            `json:"from"`
	To      []string          `json:"to"`
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html"`
	Headers map[string]string `json:"headers"`
}

// mailbox is an address that nobody else has.
func mailbox() string { return unique("box") + "@stories.example.com" }

// mails waits for at least n mails to an address; n may be none.
func (s *scene) mails(to string, n int) []caught {
	s.t.Helper()
	var found struct {
		Items []caught `json:"items"`
	}
	eventually(s.t, fmt.Sprintf("%d mails to %s", n, to), func() bool {
		query := shared.Env["REDLINE_DEV_MAILS_URL"] + "?to=" + url.QueryEscape(to)
		request, err := http.NewRequestWithContext(s.ctx, http.MethodGet, query, nil)
		require.NoError(s.t, err)
		reply, err := http.DefaultClient.Do(request)
		require.NoError(s.t, err)
		defer reply.Body.Close()
		require.NoError(s.t, json.NewDecoder(reply.Body).Decode(&found))
		return len(found.Items) >= n
	})
	return found.Items
}

// inBoxes proves that these are the texts, below their first lines, of all mails
// to these addresses: each comes, and a mail caused later finds no others there.
func (s *scene) inBoxes(want map[string][]string) {
	s.t.Helper()
	for to, texts := range want {
		s.mails(to, len(texts))
	}
	marker := mailbox()
	s.mention("marker", marker)
	s.mails(marker, 1)
	for to, texts := range want {
		found := []string{}
		for _, m := range s.mails(to, len(texts)) {
			_, text, _ := strings.Cut(strings.ReplaceAll(m.Text, "\r\n", "\n"), "\n\n")
			found = append(found, strings.TrimSpace(text))
		}
		require.ElementsMatch(s.t, texts, found, "to %s", to)
	}
}

// loud makes a comment tell of itself.
var loud = map[string]any{"triggerNotification": true}

// contact is how a tagged user is reached.
func contact(user, email string) map[string]any {
	return map[string]any{"taggedUserContacts": []any{
		map[string]any{"userId": user, "contact": map[string]any{"userId": user, "email": email}},
	}}
}

// mention tags a user, who has the address, in a new annotation.
func (s *scene) mention(user, email string) {
	s.t.Helper()
	s.call(addAnnotations, made(unique("doc"), annotated(unique("note"), wrote("ann", "Hi {{"+user+"}}", loud, contact(user, email)))), nil)
}

// assigned gives an annotation an assignee.
func assigned(annotation map[string]any, user map[string]any) map[string]any {
	annotation["assignedTo"] = user
	return annotation
}

func (s *scene) people(users ...map[string]any) {
	s.t.Helper()
	s.call("users/add", map[string]any{"organizationId": "acme", "createOrganization": true, "users": users}, nil)
}

func user(id, name, email string) map[string]any {
	return map[string]any{"userId": id, "name": name, "email": email}
}

func subjects(mails []caught) []string {
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
	s := begin(t)
	s.mailBy(map[string]any{})
	to := mailbox()
	evil := "Ann\r\nBcc: " + mailbox() + "\r\n\r\n<script>alert(1)</script>"
	s.people(user("ann", evil, mailbox()), user("bob", `<img src=x onerror=y>`, to))
	html := `<p onclick="x()">Hi {{bob}}<script>steal()</script><a href="javascript:x()">a</a><img src="https://e.test/t.gif"><b>bold</b></p>`
	s.call(addAnnotations, made("d", annotated("n1", wrote("ann", "Hi {{bob}}", loud, map[string]any{"commentHtml": html}))), nil)
	got := s.mails(to, 1)[0]
	require.NotContains(t, got.Headers, "bcc")
	require.Contains(t, got.Subject, "Ann Bcc:")
	for _, harm := range []string{"<script", "onclick", "javascript:", "<img", "steal()"} {
		require.NotContains(t, got.HTML, harm)
	}
	require.Contains(t, got.HTML, "&lt;img src=x onerror=y&gt;")
	require.Contains(t, got.HTML, "<b>bold</b>")
	read := older[[]annotationView](s, getAnnotations, doc("d"))
	require.Equal(t, html, read.Data[0].Comments[0].CommentHTML, "it reads as it was sent")
}

// A name of a user with a line break ends in no header of a mail to that user.
func TestMails_2_TheRecipientsOwnName(t *testing.T) {
	s := begin(t)
	s.mailBy(map[string]any{})
	to, other := mailbox(), mailbox()
	s.people(user("bob", "Bob\nBcc: "+other, to))
	s.call(addAnnotations, made("d", annotated("n1", wrote("ann", "Hi {{bob}}", loud))), nil)
	got := s.mails(to, 1)[0]
	require.Equal(t, []string{to}, got.To)
	require.NotContains(t, got.Headers, "bcc")
	require.Equal(t, "Bob Bcc: "+other, nameOf(t, got.Headers["to"]))
}

func TestMails_5_BeyondASCII(t *testing.T) {
	s := begin(t)
	s.mailBy(map[string]any{"fromCompany": "出版社 🖋"})
	local := "jörg-" + unique("box")
	to := local + "@bücher.example"
	s.people(user("ann", "Zoë Ångström", mailbox()), user("李雷", "李雷 😀", to))
	data := made("Frühling/№1", annotated("n1", wrote("ann", "你好 {{李雷}} – größer", loud)))
	s.call(addAnnotations, data, nil)
	got := s.mails(to, 1)[0]
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
	s, lab := beginAt(t, tight)
	s.mailBy(map[string]any{})
	boxes := []string{mailbox(), mailbox(), mailbox()}
	for i, to := range boxes {
		s.mention(fmt.Sprintf("u%d", i), to)
		if i < 2 {
			s.mails(to, 1)
		}
	}
	eventually(t, "the third is refused", func() bool { return s.emails().LastFailure != nil })
	require.Equal(t, "relay-quota", s.emails().LastFailure.Class)
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	s.mailBy(config)
	s.mention("own", mailbox())
	eventually(t, "an own host has no quota", func() bool { return len(host.Letters()) == 1 })
	_, err := lab.Run(t.Context(), "admin", "workspace", "set-plan", s.workspace.ID, "paid")
	require.NoError(t, err)
	s.mailBy(map[string]any{"type": "default"})
	paid := mailbox()
	s.mention("paid", paid)
	s.mails(paid, 1)
	require.Empty(t, s.mails(boxes[2], 0), "what failed is not taken up again")
}

// Mails wait while their host is away; nobody else does.
func TestMails_1_AHostThatIsAway(t *testing.T) {
	s, _ := beginAt(t, fastWebhooks)
	host, config := s.ownHost()
	config["username"], config["password"] = "desk", "the password"
	s.mailBy(config)
	to := mailbox()
	s.mention("bob", to)
	eventually(t, "the host was not reached", func() bool { return s.emails().LastFailure != nil })
	require.NoError(t, host.Open())
	eventually(t, "the mail arrives", func() bool { return len(host.Letters()) > 0 })
	letter := host.Letters()[0]
	require.Equal(t, []string{to, "desk@stories.example.com", "desk", "the password"}, []string{letter.To, letter.From, letter.Username, letter.Password})
}

// shortMails lets what a worker was mailing when it died be begun again after 10 s.
const shortMails = "REDLINE_MAIL_TIMEOUT=5s"

// A worker that dies while a host has the mail in its hands: the mail arrives
// once more at most, under the same id.
func TestMails_6_AWorkerThatDiesWhileSending(t *testing.T) {
	lab := newLab(t)
	api, worker := lab.start("api"), lab.start("worker", shortMails)
	s := lab.begin(api)
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	s.mailBy(config)
	held, release := host.Hold()
	s.mention("bob", mailbox())
	reached(t, "the host has the mail", held)
	worker.Kill()
	release()
	lab.again(worker)
	const hold = 5 * time.Minute // what was under way is begun again when its hold ends
	within(t, hold, "the mail is handed over again", func() bool { return len(host.Letters()) > 1 })
	s.mention("eve", mailbox())
	eventually(t, "the later mail", func() bool { return len(host.Letters()) > 2 })
	letters := host.Letters()
	require.Len(t, letters, 3)
	require.Equal(t, letters[0].Header.Get("Message-Id"), letters[1].Header.Get("Message-Id"))
	require.NotEqual(t, letters[0].Header.Get("Message-Id"), letters[2].Header.Get("Message-Id"))
	lab.atRest()
}

// A hundred comments tag one user; the worker is killed and started again. Each
// mail has an id of its own and comes under no other.
func TestMails_HundredCommentsOfOneAdd(t *testing.T) {
	lab := newLab(t)
	api, worker := lab.start("api"), lab.start("worker", shortMails)
	s := lab.begin(api)
	s.mailBy(map[string]any{})
	to := mailbox()
	s.people(user("bob", "Bob", to))
	notes := make([]map[string]any, 100)
	for i := range notes {
		notes[i] = annotated(fmt.Sprintf("n%d", i), wrote("ann", fmt.Sprintf("Number %d for {{bob}}", i), loud))
	}
	s.call(addAnnotations, made("d", notes...), nil)
	s.mails(to, 20)
	worker.Kill()
	lab.again(worker)
	const hold = 5 * time.Minute
	byID := map[string]string{}
	within(t, hold, "a hundred different mails", func() bool {
		for _, m := range s.mails(to, 20) {
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
	lab.atRest()
}

// The call never waits for a mail host.
func TestMails_1_TheCallDoesNotWait(t *testing.T) {
	s := begin(t)
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	s.mailBy(config)
	held, release := host.Hold()
	defer release()
	s.mention("bob", mailbox())
	reached(t, "the host has the first mail and says nothing", held)
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	_, err := client.Call[json.RawMessage](ctx, s.keyed, addAnnotations,
		made("d", annotated("n1", wrote("ann", "Hi {{eve}}", loud, contact("eve", mailbox())))))
	require.NoError(t, err, "answered while the host holds the mail before it")
}
