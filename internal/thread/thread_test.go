package thread_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/thread"
)

func TestTextOfHTML(t *testing.T) {
	for markup, want := range map[string]string{
		"":                                    "",
		"plain":                               "plain",
		"<p>a</p><p>b</p>":                    "a\nb",
		"a<br>b<br/><br>c":                    "a\nb\n\nc",
		"<div><p> a  <b>b</b>\n c </p></div>": "a b c",
		"a<script>x < y</script>b<style>p{}</style>c": "abc",
		"Tom &amp; J&eacute;r&#xF4;me&nbsp;&lt;b&gt;": "Tom & Jérôme <b>",
		"<ul><li>one</li><li>two</li></ul>end":        "one\ntwo\nend",
		"<table><caption>t</caption><tr><th>a</th><th>b</th></tr><tr><td>c<td> d </td><td></td><td>e</td></tr></table>f": "t\na b\nc d e\nf",
		`<a href="{{x}}">link</a> {{y}}`: "link {{y}}",
		"<p>unclosed <i>tag":             "unclosed tag",
		"a < b":                          "a < b",
		"<!-- no -->yes":                 "yes",
		"<script>never closed":           "",
		"a<script/>x()</script>b<style />p{}</style>c": "abc",
	} {
		require.Equal(t, want, thread.Text(markup), markup)
	}
}

func TestTags(t *testing.T) {
	for _, c := range []struct {
		text, markup string
		want         []string
	}{
		{"hi {{ann}} and {{bob}}, {{ann}}", "", []string{"ann", "bob"}},
		{"{{{a}}}", "", []string{"a"}},
		{"{{unclosed and {{}} and {{a\nb}}", "", []string{}},
		{"{{ spaced  id }}", "", []string{" spaced  id "}},
		{"", `<a title="{{no}}">{{a<b>b</b>}}</a> {{c &amp; d}}`, []string{"ab", "c & d"}},
		{"", "<script>{{no}}</script>{{🇩🇪/..}}", []string{"🇩🇪/.."}},
		{"{{" + strings.Repeat("é", 200) + "}}", "", []string{strings.Repeat("é", 200)}},
		{"{{" + strings.Repeat("é", 201) + "}}", "", []string{}},
	} {
		require.Equal(t, c.want, thread.Tags(c.text, c.markup), c.text+c.markup)
	}
}

func TestTagsAsNames(t *testing.T) {
	require.Equal(t, "hi Ann {{b}}, {{x}}", thread.Named("hi {{a}} {{b}}, {{x}}", map[string]string{"a": "Ann", "b": ""}))
	require.Equal(t, "{{b}}", thread.Named("{{a}}", map[string]string{"a": "{{b}}", "b": "Bob"}), "a name is not looked at again")
}

func TestTextNeverHasBlanksAtItsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		markup := rapid.StringMatching(`([a-c &;]|<p>|</p>|<br>|<script>|</script>|<b){0,20}`).Draw(t, "markup")
		text := thread.Text(markup)
		require.Equal(t, strings.Trim(text, " \n\t"), text)
		require.NotContains(t, text, "  ")
	})
}
