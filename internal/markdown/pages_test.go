package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/markdown"
	"github.com/redline-svc/redline/tests/kit/linear"
)

// paged is a text of several pages, whose blocks are parted by |.
func paged(pages ...string) string {
	var text strings.Builder
	for i, page := range pages {
		fmt.Fprintf(&text, "<!-- page %d -->\n\n%s\n\n", i+1, strings.ReplaceAll(page, "|", "\n\n"))
	}
	return text.String()
}

func TestATextGoesOnBehindAPageBreak(t *testing.T) {
	t.Parallel()
	long := "Every passenger who brings a bicycle on board after dark must ask"
	for name, c := range map[string]struct {
		pages []string
		want  string
	}{
		"in lower case":                {[]string{"You must|", "tie it."}, "You must tie it."},
		"over three pages":             {[]string{"You must", "tie", "it well."}, "You must tie it well."},
		"with a name":                  {[]string{long, "Mr Smith for leave."}, long + " Mr Smith for leave."},
		"with a number":                {[]string{long, "12 people for leave."}, long + " 12 people for leave."},
		"behind a comma":               {[]string{"If so,", "Ann must go."}, "If so, Ann must go."},
		"in an item":                   {[]string{"- You must", "tie it.|- Two"}, "- You must tie it.|- Two"},
		"in a quotation":               {[]string{"He said", "“no” to it."}, "He said “no” to it."},
		"over footers and headers":     {[]string{"You must|Boats 1", "Rules|tie it.|Boats 2", "Rules|New."}, "Boats 1|Rules|You must tie it.|Boats 2|Rules|New."},
		"over page numbers":            {[]string{"You must|- 1 -", "tie it.|Page 2 of 3", "New.|iii"}, "- 1 -|You must tie it.|Page 2 of 3|New.|iii"},
		"over a running heading":       {[]string{"# Boats|You must", "# Boats|tie it."}, "Boats|You must tie it.|Boats"},
		"over a page without text":     {[]string{"You must", "2", "tie it."}, "2|You must tie it."},
		"over a note":                  {[]string{"Every single guest must|1 See the other book.", "tie it."}, "1 See the other book.|Every single guest must tie it."},
		"in a list behind its lead-in": {[]string{"Never:|Page 1", "- a|- b|Page 2"}, "Page 1|Never:|- a|- b|Page 2"},
		"in Chinese":                   {[]string{"所有居民都可以在这里用餐六十岁以上的老人享", "受七折优惠。"}, "所有居民都可以在这里用餐六十岁以上的老人享受七折优惠。"},
		"not after its end":            {[]string{long + ".", "Mr Smith."}, long + ".|Mr Smith."},
		"not of a label":               {[]string{"Contents", "The boats."}, "Contents|The boats."},
		"not in a heading":             {[]string{"You must", "# tie it"}, "You must|tie it"},
		"not of a heading":             {[]string{"# You must", "tie it"}, "You must|tie it"},
		"not in a list":                {[]string{"- You must go", "Ann is here."}, "- You must go|Ann is here."},
		"not behind a lead-in":         {[]string{"You must:", "tie it"}, "You must:|tie it"},
	} {
		var got []string
		for _, b := range markdown.Parse(paged(c.pages...)) {
			got = append(got, b.Text)
		}
		require.Equal(t, c.want, strings.Join(got, "|"), name)
	}
}

func TestLong_PagesAreJoinedInLinearTime(t *testing.T) {
	for name, page := range map[string]string{
		"one sentence": "goes on and", "running lines": "You must|Boats|Boats|Boats", "headers alone": "Boats", "lead-ins": "Never:|Boats 1|Boats 1",
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				text := paged(slices.Repeat([]string{page}, n)...)
				return func() { markdown.Parse(text) }
			})
		})
	}
}
