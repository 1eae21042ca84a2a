package docs

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// block is a paragraph, an item of a list, a row of a table or a line of code.
type block struct {
	// line is the number of its first line in the document.
	line int
	// heads are the cells of the table's first row, cells those of this one.
	heads, cells []string
	// text is all of it where it is no row.
	text string
	// heading is set where names looked for later have nothing to do with those before.
	heading bool
	// plain is set where words are names without being marked as code.
	plain bool
}

var item = regexp.MustCompile(`^\s*([*-]|\d+\.) `)

// markdown splits a document into its blocks.
func markdown(text string) []block {
	var (
		blocks []block
		heads  []string
		fenced bool
		open   bool // the next line goes on with the last block
	)
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		row := strings.HasPrefix(strings.TrimSpace(line), "|")
		if !row || fenced {
			heads = nil
		}
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced, open = !fenced, false
		case fenced:
			blocks = append(blocks, block{line: n, text: line, plain: true})
		case row:
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			if heads == nil {
				heads = cells
			}
			blocks, open = append(blocks, block{line: n, heads: heads, cells: cells}), false
		case strings.HasPrefix(line, "#"):
			blocks, open = append(blocks, block{line: n, text: line, heading: true}), false
		case strings.TrimSpace(line) == "":
			open = false
		case open && !item.MatchString(line):
			blocks[len(blocks)-1].text += "\n" + line
		default:
			blocks, open = append(blocks, block{line: n, text: line}), true
		}
	}
	return blocks
}

// packageComment is the comment of a doc.go as one block without marks.
func packageComment(text string) ([]block, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "doc.go", text, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		return nil, err
	}
	var blocks []block
	for _, group := range parsed.Comments {
		first := files.Position(group.Pos()).Line
		for i, comment := range group.List {
			blocks = append(blocks, block{line: first + i, text: strings.TrimPrefix(comment.Text, "//"), plain: true})
		}
	}
	return blocks, nil
}

// word is a piece of code or a target of a link in a block, and what stands before it.
type word struct{ before, text string }

// What may stand around a word that is not marked.
const (
	opening = "([\"'`"
	closing = ".,;:)]\"'…`"
)

var (
	marked = regexp.MustCompile("`([^`]+)`|\\]\\(([^)\\s#]+)[^)]*\\)")
	spaces = regexp.MustCompile(`\s+`)
)

// words are the pieces of code and the links of a text, or all its words where those
// are not marked.
func words(text string, plain bool) []word {
	var found []word
	if plain {
		for w := range strings.FieldsSeq(text) {
			w = strings.TrimRight(strings.TrimLeft(w, opening), closing)
			found = append(found, word{before: " ", text: w})
		}
		return found
	}
	end := 0
	for _, at := range marked.FindAllStringSubmatchIndex(text, -1) {
		w := word{before: spaces.ReplaceAllString(text[end:at[0]], " ")}
		if code := at[2] >= 0; code {
			w.text = text[at[2]:at[3]]
		} else if w.text = text[at[4]:at[5]]; !strings.Contains(w.text, "://") && !strings.HasPrefix(w.text, ".") {
			w.text = "./" + w.text // nothing but a path
		}
		found, end = append(found, w), at[1]
	}
	return found
}
