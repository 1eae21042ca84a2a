package pdf_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

const (
	// fewWords are too few on a page for a share of them to say anything.
	fewWords = 10
	// wantedOrder is which share of a page's words must stand in their order.
	wantedOrder = 0.90
)

// divided is a word at the end of a line that goes on in the next one.
var divided = regexp.MustCompile(`(\pL)-\n(\p{Ll})`)

// pageMark is the comment in front of a page.
var pageMark = regexp.MustCompile(`<!-- page \d+ -->`)

// ideographs are written without spaces: each one counts as a word, since a line may
// end behind any of them.
var ideographs = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}

// wordsOf returns the words of a text in their order, in lower case.
func wordsOf(text string) []string {
	text = divided.ReplaceAllString(strings.ReplaceAll(text, "\u00ad", ""), "$1$2")
	var spaced strings.Builder
	for _, r := range norm.NFKC.String(text) {
		if unicode.IsOneOf(ideographs, r) {
			spaced.WriteString(" " + string(r) + " ")
			continue
		}
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// common is the length of the longest common subsequence of two lists of words.
func common(one, other []string) int {
	above, row := make([]int, len(other)+1), make([]int, len(other)+1)
	for _, word := range one {
		for i, own := range other {
			if word == own {
				row[i+1] = above[i] + 1
			} else {
				row[i+1] = max(above[i+1], row[i])
			}
		}
		above, row = row, above
	}
	return above[len(other)]
}

// found counts how many of the wanted words are there, wherever they stand.
func found(want, have []string) int {
	left := map[string]int{}
	for _, word := range have {
		left[word]++
	}
	hits := 0
	for _, word := range want {
		if left[word] > 0 {
			left[word]--
			hits++
		}
	}
	return hits
}

// sample is a real file: the words of each of its pages as they are known from
// elsewhere, and as we give them.
type sample struct {
	name         string
	wanted, have [][]string
}

// read converts a file and reads the text beside it, of which a form feed ends a page.
func read(t *testing.T, path string) sample {
	t.Helper()
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	known, err := os.ReadFile(strings.TrimSuffix(path, ".pdf") + ".txt")
	require.NoError(t, err)
	document, err := convert(t, file)
	require.NoError(t, err, path)
	require.False(t, document.Metadata.UsedRawFallback, path)
	if out := os.Getenv("PDF_TEST_OUTPUT"); out != "" {
		require.NoError(t, os.WriteFile(filepath.Join(out, filepath.Base(path)+".md"), []byte(document.Markdown), 0o600))
	}
	s := sample{name: filepath.Base(path)}
	for _, page := range pageMark.Split(document.Markdown, -1)[1:] {
		s.have = append(s.have, wordsOf(page))
	}
	for page := range strings.SplitSeq(strings.TrimSuffix(string(known), "\f"), "\f") {
		s.wanted = append(s.wanted, wordsOf(page))
	}
	require.Len(t, s.have, len(s.wanted), path)
	return s
}

// found counts the words of a file and how many of them are there.
func (s sample) found() (hits, all int) {
	for i, wanted := range s.wanted {
		hits, all = hits+found(wanted, s.have[i]), all+len(wanted)
	}
	return hits, all
}

// ordered holds the order of the words of each page, and returns how many of all are in
// theirs.
func (s sample) ordered(t *testing.T) (hits int) {
	t.Helper()
	for i, wanted := range s.wanted {
		in := common(wanted, s.have[i])
		hits += in
		if len(wanted) >= fewWords {
			require.GreaterOrEqual(t, float64(in), wantedOrder*float64(len(wanted)), "%s, page %d: %d of %d words are in their order", s.name, i+1, in, len(wanted))
		}
	}
	return hits
}

// noText has tables of single letters, with and without marks, that show the features
// of a font: what is a word of it, and which comes first, each extractor says
// otherwise. It must only be converted.
const noText = "scheherazade-features.pdf"

// TestWordsOfRealFilesAreFoundInTheirOrder holds the share of the words of real files
// that are in our text: 0.98 over all files, 0.90 for each. And page by page it holds the
// longest common subsequence: 0.90 of the words of the page.
func TestLong_WordsOfRealFilesAreFoundInTheirOrder(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pdf")
	require.NoError(t, err)
	more, err := filepath.Glob("testdata/producers/*.pdf")
	require.NoError(t, err)
	var hits, all, measured int
	for _, path := range slices.Concat(files, more) {
		s := read(t, path)
		if s.name == noText {
			continue
		}
		h, a := s.found()
		t.Logf("%-32s %.4f of %d words on %d pages, %.4f in their order", s.name, share(h, a), a, len(s.wanted), share(s.ordered(t), a))
		require.GreaterOrEqual(t, share(h, a), 0.90, s.name)
		hits, all, measured = hits+h, all+a, measured+1
	}
	t.Logf("over all %.4f of %d words of %d files", share(hits, all), all, measured)
	require.GreaterOrEqual(t, share(hits, all), 0.98)
	require.GreaterOrEqual(t, measured, 30)
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }
