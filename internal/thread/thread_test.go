package thread_test

import (
	"strconv"
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

// The name of one who is tagged is shown wherever there is room, those of all who may be tagged once each.
func TestNamesMakeATextLongerBySoMuchAtMost(t *testing.T) {
	name := strings.Repeat("\U0001F5BC", 200)
	text := strings.Repeat("{{a}}", 26_000)
	got := thread.Named(text, map[string]string{"a": name})
	require.LessOrEqual(t, len(got), len(text)+thread.MaxNamed)
	require.True(t, strings.HasPrefix(got, name) && strings.HasSuffix(got, "{{a}}"))
	all, tags, shown := map[string]string{}, "", ""
	for i := range thread.MaxTags {
		id := strconv.Itoa(i)
		all[id], tags, shown = name, tags+"{{"+id+"}}", shown+name
	}
	require.Equal(t, shown, thread.Named(tags, all))
	parts := thread.NewNames(map[string]string{"a": name})
	require.Less(t, len(parts.In(text)+parts.In(text)), 2*len(text)+thread.MaxNamed)
}

func TestTextNeverHasBlanksAtItsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		markup := rapid.StringMatching(`([a-c &;]|<p>|</p>|<br>|<script>|</script>|<b){0,20}`).Draw(t, "markup")
		text := thread.Text(markup)
		require.Equal(t, strings.Trim(text, " \n\t"), text)
		require.NotContains(t, text, "  ")
	})
}
