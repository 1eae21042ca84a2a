package docs

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// checker compares one document with the tree.
type checker struct {
	tree *tree
	// name is the document's path, folder that of what it stands in.
	name, folder string
	// near are the folders that were named under the same heading, the last one first.
	near []string
	// faults are what is not there, each with the place that names it.
	faults []string
}

// check returns what a document names and the tree does not have.
func (t *tree) check(name, text string) ([]string, error) {
	c := &checker{tree: t, name: name, folder: path.Dir(name)}
	blocks := markdown(text)
	if strings.HasSuffix(name, ".go") {
		var err error
		if blocks, err = packageComment(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, b := range blocks {
		if b.heading {
			c.near = nil
		}
		c.row(b)
		if found := words(b.text, b.plain); b.plain {
			c.paths(b.line, found)
		} else {
			c.sentence(b.line, found)
		}
	}
	return c.faults, nil
}

func (c *checker) faultf(line int, format string, of ...any) {
	c.faults = append(c.faults, fmt.Sprintf("%s:%d: ", c.name, line)+fmt.Sprintf(format, of...))
}

// row checks the cells of a table one by one, and in one with the columns File and
// Function what the file has to declare.
func (c *checker) row(b block) {
	var files, functions []word
	for i, cell := range b.cells {
		found := words(cell, false)
		c.sentence(b.line, found)
		switch head := b.heads[min(i, len(b.heads)-1)]; strings.TrimSpace(head) {
		case "File":
			files = found
		case "Function":
			functions = found
		}
	}
	if len(functions) == 0 {
		return
	}
	var places []string
	for _, file := range files {
		places = append(places, c.find(file.text)...)
	}
	for _, function := range functions {
		if !slices.ContainsFunc(places, func(place string) bool { return c.tree.declares(place, function.text) }) {
			c.faultf(b.line, "%s is not declared in %s", function.text, strings.Join(places, ", "))
		}
	}
	for _, place := range places {
		if !slices.ContainsFunc(functions, func(f word) bool { return c.tree.declares(place, f.text) }) {
			c.faultf(b.line, "%s declares none of what is named beside it", place)
		}
	}
}

// What stands between a name and the path of the file that has it.
const (
	inside = " in "
	behind = " ("
)

var (
	identifier = regexp.MustCompile(`^([A-Za-z]\w*\.)?[A-Za-z]\w*$`)
	selector   = regexp.MustCompile(`\b([a-z]\w*)\.([A-Z]\w*)`)
	listed     = regexp.MustCompile(`^ ?(,|and|or|, and|, or|,? then) $`)
)

// paths checks the words of a text that says nothing of what is in the files.
func (c *checker) paths(line int, found []word) {
	for _, w := range found {
		if c.isPath(w.text) && len(c.find(w.text)) == 0 {
			c.faultf(line, "there is no %s", w.text)
		}
	}
}

// sentence checks the words of a text in their order.
func (c *checker) sentence(line int, found []word) {
	var file string // where names that follow have to be declared
	for i, w := range found {
		c.selectors(line, w.text)
		if strings.Contains(w.text, " ") {
			c.command(line, words(w.text, true))
		}
		places := c.find(w.text)
		switch {
		case c.isPath(w.text):
			if len(places) == 0 {
				c.faultf(line, "there is no %s", w.text)
			}
			file = ""
			if len(places) == 1 && strings.HasSuffix(places[0], ".go") && w.before != inside {
				file = places[0]
			}
			c.placed(line, found[:i+1], places)
		case file != "" && identifier.MatchString(w.text) && (w.before == " " || listed.MatchString(w.before)):
			c.declared(line, w.text, []string{file})
		default:
			file = ""
		}
	}
}

// command checks the paths of a command, and of make the targets.
func (c *checker) command(line int, found []word) {
	c.paths(line, found)
	if found[0].text != "make" {
		return
	}
	for _, w := range found[1:] {
		if strings.ContainsAny(w.text, "=<") {
			return // variables come last
		}
		if !c.tree.targets[w.text] {
			c.faultf(line, "there is no make %s", w.text)
		}
	}
}

// placed checks the names that a sentence places in its last word, a path: "`Name` in
// `path`", "`Name` and `Other` in `path`" or "`Name` (`path`".
func (c *checker) placed(line int, found []word, places []string) {
	last := len(found) - 1
	before := found[last].before
	if before != inside && before != behind {
		return
	}
	for i := last - 1; i >= 0 && identifier.MatchString(found[i].text); i-- {
		c.declared(line, found[i].text, places)
		if before == behind || !listed.MatchString(found[i].before) {
			return
		}
	}
}

func (c *checker) declared(line int, name string, places []string) {
	name = name[strings.LastIndex(name, ".")+1:]
	if len(places) > 0 && !slices.ContainsFunc(places, func(place string) bool { return c.tree.declares(place, name) }) {
		c.faultf(line, "%s is not declared in %s", name, strings.Join(places, ", "))
	}
}

// selectors checks each pkg.Name of a package of ours.
func (c *checker) selectors(line int, text string) {
	for _, found := range selector.FindAllStringSubmatch(text, -1) {
		folders := c.tree.packages[found[1]]
		if len(folders) > 0 && !slices.ContainsFunc(folders, func(folder string) bool { return c.tree.declares(folder, found[2]) }) {
			c.faultf(line, "%s is not declared in %s", found[0], strings.Join(folders, ", "))
		}
	}
}

var (
	pathWord    = regexp.MustCompile(`^[\w.*-]+(/[\w.*-]+)*$`)
	placeholder = regexp.MustCompile(`<[^>]+>`)
	// everywhere is the name of a file that each package has.
	everywhere = "doc.go"
	sources    = []string{".go", ".sql", ".sh", ".md", ".yml"}
)

// pattern is a word as a path: without what only shows that it is one.
func pattern(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "./"), "/...")
	return placeholder.ReplaceAllString(strings.TrimSuffix(text, "/"), "*")
}

// isPath reports whether a word has to be a path of the tree: a name of a source file,
// one that begins with "./" or ends with a slash, or one with slashes that begins with an
// entry of the root or of the document's folder.
func (c *checker) isPath(text string) bool {
	marked := strings.HasPrefix(text, "./") && text != "./..." || strings.HasSuffix(text, "/")
	text = pattern(text)
	first, _, below := strings.Cut(text, "/")
	if !pathWord.MatchString(text) || c.tree.ignored[first] {
		return false
	}
	if marked {
		return true
	}
	if below && (c.tree.entries[first] || c.tree.entries[path.Join(c.folder, first)]) {
		return true
	}
	extension := path.Ext(text)
	if text == everywhere {
		return false
	}
	return slices.Contains(sources, extension) && text != extension
}

// find returns what a word stands for in the tree, below the root, the document's
// folder or, of a name alone, the folders named before.
func (c *checker) find(text string) []string {
	name := pattern(text)
	folders := []string{".", c.folder}
	if !strings.Contains(name, "/") {
		folders = append(folders, c.near...)
	}
	for _, folder := range folders {
		found := c.tree.find(path.Join(folder, name))
		if len(found) == 0 {
			continue
		}
		c.note(found[0])
		return found
	}
	return nil
}

// note keeps the folder of what was named as the one where names are looked for first.
func (c *checker) note(found string) {
	folder := found
	if path.Ext(found) != "" {
		folder = path.Dir(found)
	}
	if folder != "." {
		c.near = append([]string{folder}, c.near...)
	}
}
