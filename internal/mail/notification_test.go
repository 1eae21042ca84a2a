package mail_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/mail"
)

func TestTheMailOfANotification(t *testing.T) {
	t.Parallel()
	plain := mail.PlainNotification("About\r\n<b>", "First & <b>\nsecond")
	require.Equal(t, "About <b>", plain.Subject)
	require.Equal(t, "First & <b>\nsecond", plain.Text)
	require.Contains(t, plain.HTML, "First &amp; &lt;b&gt;<br>\nsecond")

	markup := mail.HTMLNotification("s", `<h1 onclick="x()">Dear <b>Ann</b></h1><p>See <a href="https://example.com/a?b=1">this</a> or <a href="javascript:x()">that</a></p><script>steal()</script>`)
	require.Contains(t, markup.HTML, `<b>Ann</b>`)
	require.Contains(t, markup.HTML, `<a href="https://example.com/a?b=1"`)
	for _, harm := range []string{"onclick", "javascript", "script", "steal"} {
		require.NotContains(t, markup.HTML, harm)
		require.NotContains(t, markup.Text, harm)
	}
	require.Contains(t, markup.Text, "Dear Ann\n")
	require.Contains(t, markup.Text, "See this or that")
}
