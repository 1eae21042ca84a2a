package highlight_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/highlight"
	"github.com/redline-svc/redline/internal/term"
)

// cut returns what ranges are of a text, as JavaScript's slice does.
func cut(text string, ranges []highlight.Range) []string {
	units, parts := utf16.Encode([]rune(text)), []string{}
	for _, r := range ranges {
		parts = append(parts, string(utf16.Decode(units[r.Start:r.End])))
	}
	return parts
}

func marked(question, text string) []string { return cut(text, highlight.Ranges(question, text)) }

func TestTheNearestSentenceAndWordsElsewhere(t *testing.T) {
	text := "Bills are due in thirty days. A late payment costs interest of 9 percent! We remind of payments twice; interest runs on. The gate is closed."
	require.Equal(t, []string{"A late payment costs interest of 9 percent!", "payments", "interest"}, marked("How much interest on late payments?", text))
	require.Equal(t, []string{"The gate is closed."}, marked("Who closes the gates?", text))
	require.Empty(t, marked("What about volcanoes?", text))
	require.Empty(t, marked("is it of the", text))
}

func TestASingleSentenceIsTheNearest(t *testing.T) {
	require.Equal(t, []string{"The roses are watered every morning."}, marked("When does the gardener come?", " The roses are watered every morning.\n"))
	require.Empty(t, marked("x", " \n"))
}

func TestItemsAndRowsAreSentences(t *testing.T) {
	require.Equal(t, []string{"- send the invoice", "invoices"}, marked("invoice", "We want:\n- send the invoice\n- keep invoices for ten years"))
	require.Equal(t, []string{"| Fee | 5 euros |"}, marked("How many euros?", "| What | How much |\n| --- | --- |\n| Fee | 5 euros |\n| Rent | 7 |"))
	require.Equal(t, []string{"2. Pay the rent\nby the third"}, marked("rent paid? third", "1. Say hello\n2. Pay the rent\nby the third\n3. Go"))
}

func TestUnitsAreThoseOfJavaScript(t *testing.T) {
	text := "🔔 The bell rings. 𝒳 the co-signer’s FEE, fée and ﬁne."
	require.Equal(t, []string{"bell", "𝒳 the co-signer’s FEE, fée and ﬁne."}, marked("bell, signer's fees, fines", text))
	require.Equal(t, []string{"🔔 The bell rings.", "signer’s"}, marked("bell ringing for signers", text))
}

func TestFiveAtMostAndEachStemBeforeOneRepeats(t *testing.T) {
	text := "Fee and rent. fee: one. fee: two. fee: three. rent: one. deposit: one. fee: four."
	require.Equal(t, []string{"Fee and rent.", "fee", "fee", "rent", "deposit"}, marked("fee, rent or deposit", text))
}

// hold are the rules of all ranges, whatever is asked of whatever text.
func hold(t require.TestingT, question, text string, ranges []highlight.Range) {
	units := utf16.Encode([]rune(text))
	require.LessOrEqual(t, len(ranges), highlight.Most)
	last := 0
	for _, r := range ranges {
		require.GreaterOrEqual(t, r.Start, last)
		require.Greater(t, r.End, r.Start)
		require.LessOrEqual(t, r.End, len(units))
		for _, edge := range []int{r.Start, r.End} {
			require.False(t, edge > 0 && edge < len(units) && utf16.IsSurrogate(rune(units[edge-1])) &&
				utf16.DecodeRune(rune(units[edge-1]), rune(units[edge])) != '\uFFFD', "a pair is split at %d", edge)
		}
		last = r.End
	}
	require.Equal(t, ranges, highlight.Ranges(question, text), "the same each time")
}

func TestRangesHoldTheirRulesForAnyText(t *testing.T) {
	words := rapid.SampledFrom([]string{"fee", "Fees", "rent.", "𝒳y", "🔔", "a\u0301", "\n- ", "\n\n", "| ", "co-signer's", "\"", "end!", "ﬁne", "der"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(words).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
		question := strings.Join(rapid.SliceOf(words).Draw(t, "question"), " ")
		ranges := highlight.Ranges(question, text)
		hold(t, question, text, ranges)
		asked := term.Stems(strings.ReplaceAll(question, "-", " "))
		shares := func(part string) bool {
			for _, stem := range term.Keywords(part) {
				if asked[stem] {
					return true
				}
			}
			return false
		}
		for _, part := range cut(text, ranges) {
			require.True(t, shares(part) || len(ranges) == 1, "%q", part)
		}
	})
}

func FuzzRanges(f *testing.F) {
	f.Add("When are fees due?", "Fees are due. 🔔 Now!\n- fee\n| fee |")
	f.Add("\xff fee", "a\xf0\x9f fee \xed\xa0\x80.")
	f.Fuzz(func(t *testing.T, question, text string) {
		ranges := highlight.Ranges(question, text)
		var shown string // as JSON gives it, a byte that is no UTF-8 is one character
		raw, err := json.Marshal(text)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &shown))
		hold(t, question, shown, ranges)
	})
}
