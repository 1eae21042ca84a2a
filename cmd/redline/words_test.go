package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// misleading are words that once had many meanings each; no name has one of them
// as a part. What to say instead stands beside it.
var misleading = map[string]string{
	"place":  "position, scope, binding, slot, partition",
	"places": "positions, scopes, bindings, slots, partitions",
	"judge":  "check; a judgment is a thing of the domain",
	"judges": "checks",
	"tell":   "publish, notify, wake, show",
	"tells":  "publishes, notifies, wakes, shows",
	"told":   "published, notified, woken, known",
}

// published are names that carry a word of the interface.
var published = []string{
	"JudgeType", "judgeType", // judgments/query: judge_type
	"PlaceData", // a schema of the OpenAPI document
}

// nameParts are the words of a name: takePlace has take and Place, replace one.
var nameParts = regexp.MustCompile(`[A-Z]?[a-z]+`)

// misled gives the first misleading word of a name, and what to say instead. The
// name of a test is a sentence and may have any.
func misled(name string) (word, instead string) {
	if slices.Contains(published, name) || strings.HasPrefix(name, "Test") {
		return "", ""
	}
	for _, part := range nameParts.FindAllString(name, -1) {
		if instead, ok := misleading[strings.ToLower(part)]; ok {
			return part, instead
		}
	}
	return "", ""
}

func TestNamesAvoidWordsThatMislead(t *testing.T) {
	for name, want := range map[string]string{
		"takePlace": "Place", "place": "place", "judgeX": "judge", "toldEver": "told", "HTTPPlace": "Place", "tellURL": "tell",
		"replace": "", "Replacement": "", "judgment": "", "toldest": "", "intelligence": "", "placeholder": "", "JudgeType": "", "x": "",
	} {
		word, _ := misled(name)
		require.Equal(t, want, word, name)
	}
	seen := map[string]bool{}
	for path, text := range sourceFiles(t) {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				seen[name.Name] = true
				word, instead := misled(name.Name)
				require.Empty(t, word, "%s: %s; say %s", files.Position(name.Pos()), name.Name, instead)
			}
			return true
		})
	}
	for _, name := range published {
		require.True(t, seen[name], "%s is gone: so must its exception be", name)
	}
}
