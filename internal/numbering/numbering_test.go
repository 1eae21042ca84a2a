package numbering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/numbering"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	for step, want := range map[string][]int{
		"1": {1}, "12": {12}, "a": {1}, "Z": {26}, "i": {9, 1}, "V": {22, 5}, "ii": {35, 2}, "aa": {27}, "ZZ": {52}, "XIV": {14}, "lxxxix": {89},
		"iix": nil, "ab": nil, "xc": nil, "99999999999999999999": nil,
	} {
		require.Equal(t, want, numbering.Places(step), step)
	}
}

func TestEachPlaceIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	for _, like := range []string{"7", "b", "C"} {
		for place := 1; place < 90; place++ {
			for _, step := range numbering.Written(place, like) {
				require.Contains(t, numbering.Places(step), place, step)
				require.Equal(t, numbering.Kind(like), numbering.Kind(step))
			}
		}
	}
	require.Equal(t, []string{"D", "IV"}, numbering.Written(4, "B"))
	require.Empty(t, numbering.Written(0, "a"))
}

func TestMarksThatCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1. a": "1.", "2) a": "2)", "(3) a": "(3)", "[4] a": "[4]", "iv.) a": "iv.)", "1.2.1 a": "1.2.1", "A.1 a": "A.1", "§ 5 a": "§ 5", "§6. a": "§6.", "B.": "B.",
		"(3 a": "", "3] a": "", "[x] a": "", "[4]: a": "", "e.g. a": "", "aa) a": "aa)", "A1 a": "A1", "A1.2 a": "A1.2", "2b) a": "2b)", "1-2 a": "1-2", "B-3. a": "B-3.", "Article 4 a": "Article 4", "CLAUSE 5: a": "CLAUSE 5:", "Art. 6 a": "Art. 6",
		"1.Ab": "1.", "2)Ab": "2)", "(a)Ab": "(a)", "1.2Ab": "1.2", "（1）a": "（1）", "2、a": "2、", "3．a": "3．", "7 a": "7",
		"A.Ab": "", "A1Ab": "", "1: a": "", "article 4 a": "", "1-a a": "", "AB a": "", "§ a": "", "word. a": "", "": "", "7.5": "7.5",
	} {
		found, is := numbering.CountOf(text)
		require.Equal(t, want != "", is, text)
		if is {
			require.Equal(t, want, found.Text)
		}
	}
}

func TestBullets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{
		"• a": {true, false}, "•a": {true, false}, "••": {}, "◦ a": {true, false}, "◦a": {}, "\uf0b7 a": {true, false}, "\uf0b7\uf0b7": {}, "➢ a": {true, false}, "- a": {true, true}, "-a": {}, "a b": {},
	} {
		letters := []rune(text)
		bullet, sign := numbering.Bullet(letters[0], letters[1])
		require.Equal(t, want, [2]bool{bullet, sign}, text)
	}
}
