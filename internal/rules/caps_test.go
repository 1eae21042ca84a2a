package rules_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/rules"
)

// maxRatio is how many times the bytes of a text its rules and their categories have at
// most.
const maxRatio = 9

// kept is how many bytes rules have with their categories.
func kept(found rules.Result) (bytes int) {
	for _, r := range found.Rules {
		bytes += len(r.Content) + len(r.Category)
	}
	return bytes
}

// numbered are so many items in which n stands for their number.
func numbered(count int, item string) string {
	var items strings.Builder
	for n := range count {
		items.WriteString(strings.ReplaceAll(item, "n", strconv.Itoa(n)))
	}
	return items.String()
}

// What stands in many rules is repeated until they are a small multiple of their text.
func TestNoTextMakesMuchMoreOfItself(t *testing.T) {
	lead := "You must never use " + strings.Repeat("x", 570) + ":\n\n"
	heading := "# Never " + strings.Repeat("漢", 290) + "\n\n"
	for name, text := range map[string]string{
		"items below a long lead-in":        lead + numbered(2000, "- n\n"),
		"items below a long heading":        heading + numbered(2000, "- a b n\n"),
		"items below both":                  heading + lead + numbered(2000, "- n\n"),
		"items in a block quote":            "> " + strings.TrimSpace(lead) + "\n>\n" + numbered(2000, "> - n\n"),
		"a short list below a long heading": heading + numbered(20, "- a b n\n"),
		"long lead-ins and headings again":  strings.Repeat(heading+lead, 10) + numbered(2000, "- n\n"),
	} {
		found := rules.Extract(text)
		require.NotEmpty(t, found.Rules, name)
		require.LessOrEqual(t, kept(found), maxRatio*len(text), name)
		require.Equal(t, found.Rules[0].Category == "", !strings.Contains(text, "# "), "%s: the first rule has its heading", name)
	}
	found := rules.Extract(lead + numbered(2000, "- n\n"))
	require.Equal(t, 2000, len(found.Rules)+found.Skipped, "what is left out is counted")
}

// Lists as people write them keep all that leads them in.
func TestAWrittenListKeepsItsLeadInAndItsHeading(t *testing.T) {
	found := rules.Extract("# In the laboratory\n\nVisitors to the laboratory must never bring any of these:\n\n" + numbered(50, "- device n\n"))
	require.Len(t, found.Rules, 50)
	for _, r := range found.Rules {
		require.Equal(t, "In the laboratory", r.Category)
	}
}

// A heading and a lead-in stand in many rules: neither makes them long.
func TestNoHeadingAndNoLeadInIsRepeatedWithoutEnd(t *testing.T) {
	long := strings.Repeat("long ", 60_000)
	found := rules.Extract("# " + long + "\n\n" + strings.Repeat("Doors must be shut. Gates must be shut.\n\n", 2))
	require.Len(t, found.Rules, 2)
	require.LessOrEqual(t, utf8.RuneCountInString(found.Rules[0].Category), 300)

	found = rules.Extract("You must " + long + ":\n\n" + strings.Repeat("- one two three\n", 10_000))
	require.Empty(t, found.Rules)
	require.Equal(t, 10_000, found.Skipped)
}
