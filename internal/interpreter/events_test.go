package interpreter

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/interpreter/event"
)

// eventName is a text of this package that names an event.
var eventName = regexp.MustCompile(`^(execution|step|group|loop|parallel-group)\.[a-z-]+$`)

// Whatever an interpreter makes known to the outside, endpoints can receive.
func TestEveryEventIsInTheListOfEventTypes(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && eventName.MatchString(text) {
					found[text] = true
				}
			}
			return true
		})
	}
	require.True(t, found["execution.completed"] && found["step.started"], "the texts of the package were read: %v", found)
	for name := range found {
		_, known := envelope.Find(name)
		assert.NotEqual(t, event.Internal(name), known, "%s is either internal or in the list", name)
	}
}
