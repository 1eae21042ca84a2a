package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/markdown"
)

// items are the texts of the items of a text, without their marks.
func items(text string) []string {
	var found []string
	for _, b := range markdown.Parse(text) {
		if b.Kind == markdown.Item {
			found = append(found, b.Text[b.Mark:])
		}
	}
	return found
}

func TestMarksOfListsBeginItems(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{
		"-", "*", "+", "•", "◦", "▪", "‣", "·", "●", "○", "■", "□", "–", "—", "➢", "➤", "►", "❖", "⁃", "∙", "∗", "→", "⇒", "✗", "★", "👉", "✅", "✔️",
		"\uf0b7", "\uf0a7", "\uf0d8", "\uf076", "\uf0fc", "\uf06f", "①", "➊", "☐", "[ ]", "- [x]", "* ☑",
		"1.", "12)", "(3)", "a)", "(b)", "c.", "iv)", "(ix)", "xxxviii.", "B)", "IV)", "(C)", "1.2.", "1.2.3)", "(1.2)", "1.2.1", "2.10", "A.1", "B.2.3", "1.a)", "2.b.iii)", "aa)", "(bb)", "2a)", "A1)", "(1-2)", "（1）", "1、", "1．", "»", "›",
	} {
		for _, space := range []string{" ", "\t", "\u00a0", "   "} {
			require.Equal(t, []string{"Doors must be shut"}, items(mark+space+"Doors must be shut"), "%q", mark+space)
			require.Equal(t, []string{"Doors must be shut"}, items("  "+mark+space+"Doors must be shut"), "%q", mark+space)
		}
	}
	require.Equal(t, []string{"Doors", "Gates"}, items("\uf0b7Doors\n•Gates"), "without white space")
	for _, mark := range []string{"o\t", "§\t", "Ø\t", "ü\t", "q\t"} {
		require.Equal(t, []string{"Doors"}, items(mark+"Doors"), "%q: a bullet that lost its font", mark)
	}
}

func TestMarksThatMayBeOtherThingsNeedOthersBesideThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"A. Show it.\nB. Sign it.\nC. Leave it.":         {"Show it.", "Sign it.", "Leave it."},
		"A. Show it.\n\nB. Sign it.":                     {"Show it.", "Sign it."},
		"I. One\nII. Two\nIII. Three\nIV. Four\nV. Five": {"One", "Two", "Three", "Four", "Five"},
		"IX. Nine\nX. Ten\nXI. Eleven":                   {"Nine", "Ten", "Eleven"},
		"o Doors\no Gates":                               {"Doors", "Gates"},
		"[1] Doors\n[2] Gates":                           {"Doors", "Gates"},
		"§ 1 Doors\n§ 2 Gates":                           {"Doors", "Gates"},
		"[1] must be read.\n\n§ 4 must be read.":         nil,
		"A1 Doors\nA2 Gates\nB1 Lamps":                   {"Doors", "Gates", "Lamps"},
		"A1. doors\nA2. gates":                           {"doors", "gates"},
		"A1 Doors\nA1.1 Gates":                           {"Doors", "Gates"},
		"1-1 Doors\n1-2 Gates\n2-1 Lamps\n3-1 Ropes":     {"Doors", "Gates", "Lamps", "Ropes"},
		"A-1. Doors\nA-2. Gates":                         {"Doors", "Gates"},
		"2a Doors\n2b Gates":                             {"Doors", "Gates"},
		"Article 1 Doors\nArticle 2 Gates":               {"Doors", "Gates"},
		"Art. 1 Doors\nArt. 2: Gates\nArt. 3: Lamps":     {"Gates", "Lamps"},
		"§ 1 Doors\n§ 1.1 Gates":                         {"Doors", "Gates"},
		"AA. Doors\nBB. Gates":                           {"Doors", "Gates"},
		"1 Doors\n2 Gates":                               {"Doors", "Gates"},
		"Rules.\n1 Doors\n2 Gates":                       {"Doors", "Gates"},
		"1.Doors\n2.Gates":                               {"Doors", "Gates"},
		"1.1Doors\n1.2Gates":                             {"Doors", "Gates"},
		"(a)Doors\n(b)Gates":                             {"Doors", "Gates"},
		"**1.** Doors\n__2)__ Gates\n*(3)* Lamps":        {"Doors", "Gates", "Lamps"},
		"- 1. Doors\n- 2.5 Metres\n- 3 Gates":            {"Doors", "2.5 Metres", "3 Gates"},
		"of A1 and\nA4 paper, not on\nA5 paper":          nil,
		"A1 Doors must be shut":                          nil,
		"1-3 Doors must be shut":                         nil,
		"Article 5 Doors":                                nil,
		"It begins on\n1 May and ends on\n2 May":         nil,
		"It is as long as\n3 Chains, or\n4 Chains":       nil,
		"pp. 3 to 5 must be read":                        nil,
		"**1. Doors** must be shut":                      nil,
		"§ Doors\n§ Gates":                               {"Doors", "Gates"},
		"1.1 the hirer pays\n1.2 the yard checks":        {"the hirer pays", "the yard checks"},
		"1.1 the hirer pays\n1.1.1 damaged boats":        {"the hirer pays", "damaged boats"},
		"Rules:\n1.1 Doors\n1.2 Gates":                   {"Doors", "Gates"},
		"The rules\n1.1 Doors\n1.2 Gates":                {"Doors", "Gates"},
		"Steps\n1. One\n2. Two":                          {"One", "Two"},
		"1.1\u00a0Doors\n1.2\tGates":                     {"Doors", "Gates"},
		"2.3 “Doors” must be shut":                       {"“Doors” must be shut"},
		"1 Doors must be shut":                           nil,
		"A. Smith must sign the form.":                   nil,
		"I. Newton must be read.":                        nil,
		"2.5 metres must lie between two boats.":         nil,
		"2.4 GHz must be off.":                           nil,
		"10.5 % must be kept.":                           nil,
		"e.g. a door":                                    nil,
		"i.e. a door":                                    nil,
		"U.S. citizens must sign":                        nil,
		"a.m. only":                                      nil,
		"31.01.2031 Doors":                               nil,
		"2031. Doors":                                    nil,
		"mix) doors":                                     nil,
		"1.5":                                            nil,
		"-":                                              nil,
		"o door":                                         nil,
		"§ 5 must be read":                               nil,
		"-5 degrees":                                     nil,
		"*emphasis* here":                                nil,
		"**strong** here":                                nil,
		"The boats lie at\n2.5 metres from each other":   nil,
		"The boats lie at\n2.5 Metres from each other":   nil,
		"It is told in chapter\n13. The end comes late":  nil,
		"He met J.\nR. Smith":                            nil,
		"* * *":                                          nil,
		"- - -":                                          nil,
	} {
		require.Equal(t, want, items(text), "%q", text)
	}
}

func TestMarksInCellsAreThoseOfLists(t *testing.T) {
	t.Parallel()
	marks := markdown.MarksOf("| A. Show it. | 2.5 metres |\n| B. Sign it. | C. Leave it. |")
	for cell, want := range map[string]string{
		" - Doors ": "Doors ", "1. Doors": "Doors", "• Doors": "Doors", "[ ] Doors": "Doors", "☐ Doors": "Doors", "- [x] Doors": "Doors", "iv) Doors": "Doors",
		"1.2 Doors": "Doors", "A. Show it.": "Show it.", "Z. Smith": "Z. Smith", "2.5 metres": "2.5 metres", "Doors": "Doors", "": "", "-": "-",
	} {
		mark := marks.Of(cell)
		require.Equal(t, want, cell[mark.Length:], "%q", cell)
		require.Equal(t, strings.ContainsAny(cell, "[☐"), mark.Ticked, "%q", cell)
	}
}

func TestTablesWithAndWithoutOuterPipes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a | b\n--- | ---\nc | d\ne | f", "a|b\n-|-\nc|d\ne|f", "| a | b\n| --- | ---\n| c | d\n| e | f", "a | b |\n--- | --- |\nc | d |\ne | f |",
		"| a | b |\n| :-- | --: |\n| c | d |\n| e | f |", "| a | b |\n--- | ---\n| c | d |\ne | f", "a \\| x | b\n:-: | ---\nc | d\ne | - f",
		"words before\na | b\n--- | ---\nc | d\ne | f\n\nwords behind", "# Heading\na | b\n--- | ---\nc | d\n1. e | f\nwords behind",
	} {
		var rows []markdown.Block
		for _, b := range markdown.Parse(text) {
			if b.Kind == markdown.Row {
				rows = append(rows, b)
			} else {
				require.NotContains(t, b.Text, "|", text)
			}
		}
		require.Len(t, rows, 3, text)
		require.Empty(t, rows[0].Header)
		require.Contains(t, rows[0].Text, "\n", text)
		for _, r := range rows[1:] {
			require.Equal(t, rows[0].Text, r.Header, text)
			require.Len(t, markdown.Cells(r.Text), 2, text)
			require.Equal(t, 1, r.Table)
		}
	}
	for _, text := range []string{"| a\n| ---\n| b\n| - c", "a |\n--- |\nb |\nc |", "words\n| a |\n| - |\n| b\nc |\nwords"} {
		for i, want := range []string{" a", " b", "c"} {
			rows := slices.DeleteFunc(markdown.Parse(text), func(b markdown.Block) bool { return b.Kind != markdown.Row })
			require.Len(t, rows, 3, text)
			header, _, _ := strings.Cut(rows[i].Text, "\n")
			require.Len(t, markdown.Cells(header), 1)
			require.Contains(t, markdown.Cells(header)[0], strings.TrimSpace(want), text)
		}
	}
	for _, text := range []string{"a | b\n---", "a\n--- | ---", "a | b | c\n--- | ---", "a | b\n\n--- | ---", "a | b\nc | d"} {
		for _, b := range markdown.Parse(text) {
			require.NotEqual(t, markdown.Row, b.Kind, text)
		}
	}
	require.Equal(t, []string{" a ", " b | c ", " d"}, markdown.Cells(`| a | b \| c | d`))
	require.Equal(t, []string{" a |"}, markdown.Cells(`| a \|`))
}

// kinds are those of the blocks of a text, one letter each.
func kinds(text string) string {
	var all strings.Builder
	for _, b := range markdown.Parse(text) {
		all.WriteByte("PHIRC"[b.Kind])
	}
	return all.String()
}

func TestFrontMatterIsCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\ntitle: Doors must be shut\n---\n# Heading\ntext":              "CHP",
		"---\n# a remark\n\ntags:\n  - must\n  - shall\n...\ntext":          "CP",
		"---  \n\"a b\": 1\n'c': 2\n---":                                    "C",
		"---\nnote: never closed\n\ntext":                                   "PPP",
		"---\nDoors must be shut.\n---\n":                                   "PH",
		"---\n- item\n---\n":                                                "PIP",
		"---\n\ntext":                                                       "PP",
		"---\n---\n":                                                        "PP",
		"text\n\n---\ntitle: Doors\n---\n":                                  "PPH",
		"---\ntitle: |\n  Doors must be shut.\n  Gates too.\n---\n\n- item": "CI",
	} {
		require.Equal(t, want, kinds(text), "%q", text)
	}
}

func TestCodeInItemsEndsWithThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- a\n  ```\n  must\n  ```\n- b":                    "ICI",
		"1.  a\n    ```go\n    must\n\n    never\n    ```":  "IC",
		"- a\n  - b\n      ~~~\n      must\n      ~~~\n- c": "IICI",
		"- ```\n  must\n  ```\n- b":                         "CI",
		"- a\n\n  ```\n  must\n- b must":                    "ICI",
		"- a\n  ```\n  must\ntext":                          "ICP",
		"```\nmust\n``\n~~~\n````\ntext":                    "CP",
		"~~~ `x`\nmust\n~~~~\ntext":                         "CP",
		"```a``` must\ntext":                                "P",
		"- a\n```\nmust\n```\ntext":                         "ICP",
		"```\nmust\n```x\nnever":                            "C",
	} {
		require.Equal(t, want, kinds(text), "%q", text)
	}
	blocks := markdown.Parse("- a\n  ```\n  c\n  ```\n- b\n\n```\nc\n```")
	require.Equal(t, []int{1, 1, 1, 0}, []int{blocks[0].List, blocks[1].List, blocks[2].List, blocks[3].List})
}

func TestUnderlinesOfAnyLengthMakeHeadings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Doors\n=": "H", "Doors\n==": "H", "Doors\n-": "H", "Doors\n--": "H", "Doors\n---": "H", "Doors\n   ==  ": "H", "Doors\n-\ntext": "HP",
		"Doors\nGates\n---": "PP", "Doors\nGates\n===": "H", "a\nb\nc\nd\n===": "P", "- Doors\n---": "IP", "Doors\n= =": "P", "Doors\n***": "PP", "Doors\n-- -": "PP", "\n=": "P", "Doors\n    --": "P", "| a |\n--": "RP",
	} {
		require.Equal(t, want, kinds(text), "%q", text)
	}
}
