package mail_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/mail"
)

func TestMailsAboutComments(t *testing.T) {
	t.Parallel()
	got := mail.Comment(mail.About{
		Template: mail.Mention, Actor: "Ann\r\nBcc: x@example.com <script>", Document: "Frühling & <b>",
		Text: "Hi {{u_bob}}, see {{u_eve}} <b>",
		HTML: `<p onclick="x()">Hi {{u_bob}}, <a href="javascript:x()" title="t">no</a> <a href="https://example.com/?a=1&amp;b=2" rel="x">yes</a>` +
			`<img src="https://example.com/t.gif"><script>steal()</script><style>p{}</style> {{u_eve}} <iframe>in</iframe><u>u</u></p>`,
		Names: map[string]string{"u_bob": `Bob <img src=x> & "Sons"`, "other": "no"},
	})
	assert.Equal(t, "Ann Bcc: x@example.com <script> mentioned you in “Frühling & <b>”", got.Subject)
	assert.Equal(t, got.Subject+"\n\nHi Bob <img src=x> & \"Sons\", see u_eve <b>\n", got.Text)
	assert.Contains(t, got.HTML, "<p>Ann Bcc: x@example.com &lt;script&gt; mentioned you in “Frühling &amp; &lt;b&gt;”</p>")
	assert.Contains(t, got.HTML, `<blockquote><p>Hi Bob &lt;img src=x&gt; &amp; &#34;Sons&#34;, no <a href="https://example.com/?a=1&amp;b=2">yes</a> u_eve <u>u</u></p></blockquote>`)
	plain := mail.Comment(mail.About{Template: mail.Assignment, Actor: "A", Document: "D", Text: "one <two>\r\nthree"})
	assert.Contains(t, plain.HTML, "<blockquote>one &lt;two&gt;<br>\nthree</blockquote>")
	assert.Equal(t, "A assigned you a comment in “D”", plain.Subject)
	assert.Equal(t, "A replied in “D”", mail.Comment(mail.About{Template: mail.Reply, Actor: "A", Document: "D"}).Subject)
	review := mail.ReviewerRequest(mail.Request{Step: "Sign-off\n", Definition: "<Editorial>", Comment: "Please\nread <it>"})
	assert.Equal(t, "Your decision is awaited: Sign-off (<Editorial>)", review.Subject)
	assert.Contains(t, review.HTML, "<blockquote>Please<br>\nread &lt;it&gt;</blockquote>")
}

func TestMailsAboutCommentsWithoutText(t *testing.T) {
	t.Parallel()
	got := mail.Comment(mail.About{
		Template: mail.Reply, Actor: "A", Document: "D", Text: " \n", HTML: "<p>Hi <b>{{u}}</b></p><p>all &amp; you</p>", Names: map[string]string{"u": "Bob"},
	})
	assert.Equal(t, "A replied in “D”\n\nHi Bob\nall & you\n", got.Text)
}

// harmlessElements is the allow-list of mails, with what the page itself has.
var harmlessElements = "html head meta body p br b strong i em u s a ul ol li blockquote code pre"

// Whatever is written, only allowed elements and harmless links come out.
func TestNothingElseComesThrough(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"<p>", "</p>", "<a href=\"", "javascript:x", "https://e.test/", "\">", "</a>", "<script>", "</script>", "<img src=x onerror=y>", "{{u}}", "<b ",
		"style=x>", "&lt;script&gt;", "<svg/onload=x>", "<!--", "-->", "data:text/html,x", "'", "é", "<math><mtext>", "<style>", "</style>",
	}
	rapid.Check(t, func(t *rapid.T) {
		markup := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 15).Draw(t, "pieces"), "")
		out := mail.Comment(mail.About{Template: mail.Reply, HTML: markup, Names: map[string]string{"u": "<script>x</script>\" onclick=\"y"}}).HTML
		tokens := html.NewTokenizer(strings.NewReader(out))
		for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
			if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
				continue
			}
			token := tokens.Token()
			require.Contains(t, strings.Fields(harmlessElements), token.Data, out)
			for _, attribute := range token.Attr {
				if token.Data == "meta" {
					continue
				}
				require.Equal(t, "href", attribute.Key, out)
				require.Equal(t, "a", token.Data, out)
				require.Regexp(t, `^(https?:|mailto:)`, attribute.Val, out)
			}
		}
	})
}
