package disposable

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/redline-svc/redline/internal/domain"
)

//go:embed domains.txt
var bundled string

// List is the bundled list with the operator's additions and exceptions. It is
// safe for use by many goroutines, also while it is reloaded.
type List struct {
	extraFile, allowFile string
	operator             atomic.Pointer[names]
}

// names are an operator's two lists.
type names struct {
	extra, allow map[string]bool
}

// New reads the operator's files; an empty path means there is none.
func New(extraFile, allowFile string) (*List, error) {
	list := &List{extraFile: extraFile, allowFile: allowFile}
	return list, list.Reload()
}

// Reload reads the operator's files again. When one cannot be read, what was
// read before stays in force.
func (l *List) Reload() error {
	extra, err := readFile(l.extraFile)
	if err != nil {
		return err
	}
	allow, err := readFile(l.allowFile)
	if err != nil {
		return err
	}
	l.operator.Store(&names{extra: extra, allow: allow})
	return nil
}

// Has reports whether a domain, given as lower-case A-label, is one of throw-away
// addresses.
func (l *List) Has(name string) bool {
	operator := l.operator.Load()
	for parent := range domain.Parents(name) {
		if operator.allow[parent] {
			return false
		}
		if operator.extra[parent] || inLines(bundled, parent) {
			return true
		}
	}
	return false
}

// inLines is a binary search in sorted lines: lo and hi are where lines begin,
// the wanted one being in between if it is there.
func inLines(lines, wanted string) bool {
	lo, hi := 0, len(lines)
	for lo < hi {
		middle := (lo + hi) / 2
		begin := lo + strings.LastIndexByte(lines[lo:middle], '\n') + 1
		end := begin + strings.IndexByte(lines[begin:], '\n')
		switch found := lines[begin:end]; {
		case found == wanted:
			return true
		case found < wanted:
			lo = end + 1
		default:
			hi = begin
		}
	}
	return false
}

// readFile reads one domain a line in any spelling; blank lines and what
// follows # do not count.
func readFile(path string) (map[string]bool, error) {
	listed := map[string]bool{}
	if path == "" {
		return listed, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the disposable domains: %w", err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		name, err := domain.ASCII(text)
		if err != nil {
			return nil, fmt.Errorf("read the disposable domains: %s, line %d: %w", path, number, err)
		}
		listed[name] = true
	}
	return listed, lines.Err()
}
