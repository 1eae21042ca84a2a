package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The languages of the guide, by the word behind the fence of a block.
var guideLanguages = map[string]string{"go": "examples/go/", "ts": "examples/typescript/", "python": "examples/python/"}

// programLines is how long the program of the first page may be: dispatch, approve and receive.
const programLines = 20

var (
	codeBlock = regexp.MustCompile("(?ms)^```(.*?)\n(.*?)^```$")
	codePart  = regexp.MustCompile(`(?ms)^[ \t]*(?://|#) \[([a-z]+)\]\n(.*?)^[ \t]*(?://|#) \[end\]$`)
)

// code returns the file that a block names, or the part of it behind a #, without its indentation.
func code(t *testing.T, name string) string {
	t.Helper()
	file, part, _ := strings.Cut(name, "#")
	text, err := os.ReadFile("../" + file)
	require.NoError(t, err)
	if part == "" {
		return string(text)
	}
	for _, found := range codePart.FindAllStringSubmatch(string(text), -1) {
		if found[1] == part {
			return outdented(strings.Trim(found[2], "\n"))
		}
	}
	require.Fail(t, "no such part", name)
	return ""
}

func outdented(text string) string {
	lines := strings.Split(text, "\n")
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], "\t "))]
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], indent)
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestEveryBlockOfTheGuideIsAnExampleThatRuns(t *testing.T) {
	pages, err := filepath.Glob("guide/*.md")
	require.NoError(t, err)
	require.Len(t, pages, 10)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		shown := map[string]int{}
		for _, found := range codeBlock.FindAllStringSubmatch(string(text), -1) {
			language, name, _ := strings.Cut(found[1], " ")
			shown[language]++
			require.True(t, strings.HasPrefix(name, guideLanguages[language]), "%s: %s", page, found[1])
			require.Equal(t, code(t, name), found[2], "%s: %s", page, name)
		}
		require.Len(t, shown, len(guideLanguages), page)
		require.Equal(t, shown["go"], shown["ts"], page)
		require.Equal(t, shown["go"], shown["python"], page)
	}
}

func TestTheFirstProgramIsShort(t *testing.T) {
	text, err := os.ReadFile("guide/first-execution.md")
	require.NoError(t, err)
	found := codeBlock.FindAllStringSubmatch(string(text), -1)
	require.Len(t, found, len(guideLanguages))
	for _, each := range found {
		lines := 0
		for line := range strings.Lines(each[2]) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		require.LessOrEqual(t, lines, programLines, each[1])
	}
}
