package corpus

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// fileSize is that of one file of real text in bytes.
const fileSize = 400 << 10

// Text returns files of about 400 KiB, made of the comments of Go's standard library and of the
// packages that the service is made of: written by people, and there wherever
// this is built.
func Text() ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	l := &reader{seen: map[string]bool{}}
	if err := filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), l.take); err != nil {
		return nil, err
	}
	folders, err := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{.Dir}}{{end}}", "./...").Output()
	if err != nil {
		return nil, err
	}
	for folder := range strings.Lines(string(folders)) {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(folder), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			l.read(file)
		}
	}
	return joined(l.passages), nil
}

// reader collects comments, each text once.
type reader struct {
	passages []string
	seen     map[string]bool
}

func (l *reader) take(path string, entry fs.DirEntry, err error) error {
	if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") {
		l.read(path)
	}
	return err
}

// shortest is the length in bytes of a comment that says something by itself.
const shortest = 120

func (l *reader) read(path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return // test data that is no Go
	}
	for _, comment := range file.Comments {
		text := strings.TrimSpace(comment.Text())
		if len(text) > shortest && !l.seen[text] && !strings.HasPrefix(text, "Copyright") {
			l.seen[text] = true
			l.passages = append(l.passages, text)
		}
	}
}

// joined puts passages together to files of about one size.
func joined(passages []string) []string {
	var files []string
	var open strings.Builder
	for _, passage := range passages {
		open.WriteString(passage + "\n\n")
		if open.Len() >= fileSize {
			files = append(files, open.String())
			open.Reset()
		}
	}
	return append(files, open.String())
}

// LargeAndSmall cuts one text of at most large bytes and n of at most small bytes
// out of real text, the large one first; each ends with a line.
func LargeAndSmall(large, small, n int) ([]string, error) {
	files, err := Text()
	if err != nil {
		return nil, err
	}
	text := strings.Join(files, "")
	if len(text) < large+n*small {
		return nil, fmt.Errorf("there is only text of %d bytes", len(text))
	}
	var texts []string
	for size := large; len(texts) <= n; size = small {
		lines := text[:strings.LastIndexByte(text[:size], '\n')+1]
		texts, text = append(texts, lines), text[len(lines):]
	}
	return texts, nil
}
