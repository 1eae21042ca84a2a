package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// sqlUse is what the statements of one package name.
type sqlUse struct {
	// writes and reads are tables, with a file that does it.
	writes, reads map[string]string
	// unnamed are the files that write a table whose name is not in the statement.
	unnamed map[string]bool
}

// Statements are found by their keywords in capitals, as they are written here:
// prose has them small.
var (
	tableName   = `(?:ONLY )?([a-z_]+|%(?:\[\d+\])?s|\?)`
	writing     = regexp.MustCompile(`\b(?:INSERT INTO|MERGE INTO|TRUNCATE|DELETE FROM|UPDATE)\s+` + tableName)
	reading     = regexp.MustCompile(`\b(?:FROM|JOIN|USING)\s+(?:LATERAL\s+)?` + tableName)
	readingMore = regexp.MustCompile(`\bFROM\s+([a-z_]+(?:\s+(?:AS\s+)?[a-z_]+)?(?:\s*,\s*[a-z_]+(?:\s+(?:AS\s+)?[a-z_]+)?)+)`)
	locking     = regexp.MustCompile(`\b(?:FOR (?:NO KEY )?UPDATE|DO UPDATE SET)\b`)
	created     = regexp.MustCompile(`CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?([a-z_]+)`)
	dropped     = regexp.MustCompile(`DROP TABLE (?:IF EXISTS )?([a-z_]+)`)
)

// sqlOf reads the statements of the files of a package that are no tests.
func sqlOf(sources map[string]string) (sqlUse, error) {
	use := sqlUse{writes: map[string]string{}, reads: map[string]string{}, unnamed: map[string]bool{}}
	files := map[string]*ast.File{}
	constants := map[string]ast.Expr{}
	for name, source := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			return use, err
		}
		files[name] = file
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.ValueSpec); ok && len(c.Values) == len(c.Names) {
				for i, name := range c.Names {
					constants[name.Name] = c.Values[i]
				}
			}
			return true
		})
	}
	for name, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			use.node(name, n, constants)
			return true
		})
	}
	return use, nil
}

// node takes the tables of one node: of a text, of a copy, of a type's name of
// its table, or of a list's origin.
func (u *sqlUse) node(file string, n ast.Node, constants map[string]ast.Expr) {
	switch n := n.(type) {
	case *ast.BasicLit, *ast.BinaryExpr:
		u.statement(file, textOf(n.(ast.Expr), constants, 0))
	case *ast.CompositeLit: // pgx.Identifier{"table"}
		if selector, ok := n.Type.(*ast.SelectorExpr); ok && selector.Sel.Name == "Identifier" && len(n.Elts) == 1 {
			u.write(file, textOf(n.Elts[0], constants, 0))
		}
	case *ast.FuncDecl: // func (row) TableName() string { return "table" }
		if n.Name.Name == "TableName" && n.Recv != nil && len(n.Body.List) == 1 {
			if back, ok := n.Body.List[0].(*ast.ReturnStmt); ok {
				u.write(file, textOf(back.Results[0], constants, 0))
			}
		}
	case *ast.KeyValueExpr: // list.TwoWay{From: "table"}
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "From" {
			u.statement(file, "FROM "+textOf(n.Value, constants, 0))
		}
	case *ast.AssignStmt: // from := "table"
		if to, ok := n.Lhs[0].(*ast.Ident); ok && strings.EqualFold(to.Name, "from") {
			u.statement(file, "FROM "+textOf(n.Rhs[0], constants, 0))
		}
	}
}

// textOf is a text with the constants of its package; what is known at run time
// alone is a question mark.
func textOf(of ast.Expr, constants map[string]ast.Expr, depth int) string {
	const deepest = 10 // a name that stands for itself
	switch of := of.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(of.Value); err == nil && of.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return textOf(of.X, constants, depth) + textOf(of.Y, constants, depth)
	case *ast.Ident:
		if value := constants[of.Name]; value != nil && depth < deepest {
			return textOf(value, constants, depth+1)
		}
	}
	return "?"
}

func (u *sqlUse) statement(file, text string) {
	text = locking.ReplaceAllString(text, "")
	for _, found := range writing.FindAllStringSubmatch(text, -1) {
		u.write(file, found[1])
	}
	text = strings.ReplaceAll(text, "DELETE FROM", "")
	for _, found := range reading.FindAllStringSubmatch(text, -1) {
		u.reads[found[1]] = file
	}
	for _, found := range readingMore.FindAllStringSubmatch(text, -1) {
		for from := range strings.SplitSeq(found[1], ",") {
			u.reads[strings.Fields(from)[0]] = file
		}
	}
}

func (u *sqlUse) write(file, table string) {
	if strings.ContainsAny(table, "%?") {
		u.unnamed[file] = true
		return
	}
	u.writes[table] = file
}

// sourcesBelow reads the files below a folder that are no tests, by folder and
// name.
func sourcesBelow(root string) (map[string]map[string]string, error) {
	found := map[string]map[string]string{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		folder := filepath.ToSlash(filepath.Dir(path))
		if found[folder] == nil {
			found[folder] = map[string]string{}
		}
		found[folder][filepath.Base(path)] = string(text)
		return err
	})
	return found, err
}
