package definition

import (
	"go/ast"
	source "go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/shape"
)

// lintCase is a sound definition that becomes faulty by one change: old, which it has
// once, is replaced by new.
type lintCase struct {
	sound, old, new string
	// also is what cannot but be found with it.
	also []string
}

// raised returns the codes of all issues and warnings of a definition.
func raised(text string) []string {
	d, issues := Parse([]byte(text), Options{
		Receiver: refuse, Step: refuse, KnownAgent: func(id string) bool { return id == "checker" },
	})
	if d == nil {
		return codes(issues)
	}
	return codes(d.Warnings)
}

// Every finding has a definition that raises it and nothing else, and a neighbour,
// changed in one thing, that raises nothing.
func TestEachFindingHasItsNeighbour(t *testing.T) {
	t.Parallel()
	for code, each := range lintCases {
		assert.Equal(t, 1, strings.Count(each.sound, each.old), "%s: %s is one thing", code, each.old)
		assert.Empty(t, raised(each.sound), code)
		faulty := strings.Replace(each.sound, each.old, each.new, 1)
		assert.ElementsMatch(t, append([]string{code}, each.also...), raised(faulty), "%s: %.500s", code, faulty)
	}
}

// TestNoFindingIsMissing compares the cases with the codes that stand in the sources.
func TestNoFindingIsMissing(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, writtenCodes(t), slices.Collect(maps.Keys(lintCases)))
}

// codeAt is where the code stands among the arguments of a function that reports.
var codeAt = map[string]int{"Report": 1, "Fault": 1, "warn": 1, "countOf": 2}

// writtenCodes are the codes that calls in the sources of this package and of the reader of
// documents have.
func writtenCodes(t *testing.T) []string {
	t.Helper()
	written := map[string]bool{}
	own, err := filepath.Glob("*.go")
	require.NoError(t, err)
	reader, err := filepath.Glob("../shape/document*.go")
	require.NoError(t, err)
	for _, name := range append(own, reader...) {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := source.ParseFile(token.NewFileSet(), name, nil, 0)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if code := codeOf(n); code != "" {
					written[code] = true
				}
				return true
			})
		}
	}
	return slices.Collect(maps.Keys(written))
}

// codeOf returns the code that a call reports, or nothing.
func codeOf(n ast.Node) string {
	call, is := n.(*ast.CallExpr)
	if !is {
		return ""
	}
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	at, reports := codeAt[name]
	if !reports || len(call.Args) <= at {
		return ""
	}
	switch code := call.Args[at].(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(code.Value)
		return text
	case *ast.Ident:
		return namedCodes[code.Name]
	default:
		return ""
	}
}

// namedCodes are the codes that the reader has names for.
var namedCodes = map[string]string{
	"Required": shape.Required, "Type": shape.Type, "Enum": shape.Enum, "Pattern": shape.Pattern, "Length": shape.Length,
	"Range": shape.Range, "Count": shape.Count, "Duplicate": shape.Duplicate, "UnknownKey": shape.UnknownKey,
}
