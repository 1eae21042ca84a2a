package pdf

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/stretchr/testify/require"
)

const (
	// leastFiles and leastProducers are what makes a corpus of real files.
	leastFiles, leastProducers = 30, 6
	// mostBytes is the size of all PDF files together.
	mostBytes = 3_000_000
	// leastLetters is from how many letters of its script on a language is shown.
	leastLetters = 100
)

// permissive are the licences that a file of the corpus may have, by SPDX.
var permissive = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "OFL-1.1"}

// scripts are those in which the corpus has a text. What has Han and no Hiragana is Chinese.
var scripts = map[string]*unicode.RangeTable{
	"Arabic": unicode.Arabic, "Chinese": unicode.Han, "Hebrew": unicode.Hebrew, "Japanese": unicode.Hiragana, "Korean": unicode.Hangul,
}

// unversioned is a producer without its version.
var unversioned = regexp.MustCompile(`^[\pL/ ]+`)

// started is a converter for as long as a test runs.
func started(t testing.TB) *Converter {
	t.Helper()
	c, err := New("")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// corpus returns the paths of all PDF files below testdata.
func corpus(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.pdf")
	require.NoError(t, err)
	more, err := filepath.Glob("testdata/producers/*.pdf")
	require.NoError(t, err)
	return slices.Concat(files, more)
}

// described returns the cells of each row of the README by the file that it describes.
func described(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/README.md")
	require.NoError(t, err)
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		line, isRow := strings.CutPrefix(strings.TrimSpace(line), "|")
		cells := strings.Split(strings.TrimSuffix(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if isRow && strings.HasSuffix(cells[0], ".pdf") {
			require.NotContains(t, rows, cells[0])
			rows[cells[0]] = cells[1:]
		}
	}
	return rows
}

func TestEachFileOfTheCorpusIsDescribedAndHasAPermissiveLicence(t *testing.T) {
	t.Parallel()
	rows := described(t)
	for _, path := range corpus(t) {
		name := strings.TrimPrefix(path, "testdata/")
		require.Contains(t, rows, name)
		require.True(t, slices.ContainsFunc(rows[name], func(cell string) bool { return slices.Contains(permissive, cell) }), "%s: %v", name, rows[name])
		require.FileExists(t, strings.TrimSuffix(path, ".pdf")+".txt")
		delete(rows, name)
	}
	require.Empty(t, rows, "described and not there")
}

func TestTheCorpusHasManyFilesOfManyProducersAndStaysSmall(t *testing.T) {
	t.Parallel()
	c := started(t)
	rows, producers, size := described(t), map[string]bool{}, 0
	files := corpus(t)
	for _, path := range files {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		size += len(file)
		made := producer(t, c, file)
		require.Contains(t, strings.Join(rows[strings.TrimPrefix(path, "testdata/")], " "), made, path)
		producers[unversioned.FindString(made)] = true
	}
	require.GreaterOrEqual(t, len(files), leastFiles)
	require.GreaterOrEqual(t, len(producers), leastProducers, "%v", producers)
	require.LessOrEqual(t, size, mostBytes)
}

// producer returns what a file says of the program that wrote it: its Producer entry or,
// where there is none, its Creator entry.
func producer(t *testing.T, c *Converter, file []byte) string {
	t.Helper()
	instance, err := c.pool.GetInstanceWithContext(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, instance.Close()) }()
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &file})
	require.NoError(t, err)
	for _, entry := range []string{"Producer", "Creator"} {
		found, err := instance.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: opened.Document, Tag: entry})
		require.NoError(t, err)
		if found.Value != "" {
			return found.Value
		}
	}
	require.Fail(t, "no producer is named")
	return ""
}

func TestTheCorpusHasTextsInManyScripts(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, path := range corpus(t) {
		text, err := os.ReadFile(strings.TrimSuffix(path, ".pdf") + ".txt")
		require.NoError(t, err)
		letters := map[string]int{}
		for _, r := range string(text) {
			for language, script := range scripts {
				if unicode.Is(script, r) {
					letters[language]++
				}
			}
		}
		if letters["Japanese"] > 0 {
			delete(letters, "Chinese")
		}
		for language, count := range letters {
			found[language] = found[language] || count >= leastLetters
		}
	}
	for language := range scripts {
		require.True(t, found[language], language)
	}
}

// word is what PDFium takes for a word divided at the end of a line.
var word = regexp.MustCompile(`(\pL[\pL\pM]*)\x{FFFE}([\pL\pM\d]+)`)

// leastDivided is how many divided words the corpus has at least.
const leastDivided = 100

// No paragraph of a real file is cut at a word that is divided at the end of a line: both
// parts stand behind each other.
func TestLong_NoParagraphOfARealFileIsCutAtADividedWord(t *testing.T) {
	c := started(t)
	divided := 0
	for _, path := range corpus(t) {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		document, err := c.Convert(t.Context(), file, func() {})
		require.NoError(t, err)
		for _, parts := range word.FindAllStringSubmatch(plainText(t, c, file), -1) {
			divided++
			first, second := clean(parts[1]), clean(parts[2])
			joined := strings.Contains(document.Markdown, first+second) || strings.Contains(document.Markdown, first+"-"+second)
			require.True(t, joined, "%s: %s, %s", path, first, second)
		}
	}
	require.GreaterOrEqual(t, divided, leastDivided)
	t.Logf("%d divided words", divided)
}

// plainText is the text of a file as PDFium gives it.
func plainText(t *testing.T, c *Converter, file []byte) string {
	t.Helper()
	instance, err := c.pool.GetInstanceWithContext(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, instance.Close()) }()
	pages, err := readAll(t.Context(), instance, file, func() {})
	require.NoError(t, err)
	var text strings.Builder
	for _, p := range pages {
		text.WriteString(p.plain + "\n")
	}
	return text.String()
}
