package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// narrowing are the methods of GORM that take conditions.
var narrowing = map[string]bool{
	"Where": true, "Not": true, "Or": true, "Having": true,
	"Find": true, "First": true, "Last": true, "Take": true, "Delete": true,
}

// structConditions are the calls in a file that narrow a query by anything else
// than a text that is written there. A struct drops its zero values: with an
// empty workspace the tenant's condition would be gone.
func structConditions(t *testing.T, name string, text any) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, 0)
	require.NoError(t, err)
	imported := map[string]bool{}
	rows := false
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		imported[filepath.Base(path)] = true
		rows = rows || path == "gorm.io/gorm"
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !rows {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !narrowing[method.Sel.Name] {
			return true
		}
		if of, ok := method.X.(*ast.Ident); ok && imported[of.Name] {
			return true // a function of another package
		}
		for i, argument := range call.Args {
			if _, written := argument.(*ast.BasicLit); !written && (i == 0 && isCondition(method.Sel.Name) || isStruct(argument)) {
				found = append(found, files.Position(call.Pos()).String())
			}
		}
		return true
	})
	return found
}

// isCondition reports methods whose first argument is the condition.
func isCondition(method string) bool {
	return method == "Where" || method == "Not" || method == "Or" || method == "Having"
}

func isStruct(argument ast.Expr) bool {
	if address, ok := argument.(*ast.UnaryExpr); ok {
		argument = address.X
	}
	_, ok := argument.(*ast.CompositeLit)
	return ok
}

func TestNoQueryIsNarrowedByAStruct(t *testing.T) {
	for _, wrong := range []string{
		`db.Where(&row{WorkspaceID: id})`, `db.Where(row{WorkspaceID: id})`, `db.Where(known)`, `db.Not(known)`,
		`gorm.G[row](db).Scopes(x).Where(row{}).Find(ctx)`, `db.Find(&rows, &row{WorkspaceID: id})`, `db.Delete(&row{ID: id})`,
	} {
		require.Len(t, structConditions(t, "wrong.go", "package x\nimport \"gorm.io/gorm\"\nfunc f() { "+wrong+" }"), 1, wrong)
	}
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		require.Empty(t, structConditions(t, path, nil))
		return nil
	}))
	require.Positive(t, files)
}
