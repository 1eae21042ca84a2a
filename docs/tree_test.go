package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// tree is what documents are compared with.
type tree struct {
	files fs.FS
	// entries are all files and folders, by their path from the root.
	entries map[string]bool
	// ignored are the folders at the root that .gitignore has.
	ignored map[string]bool
	// targets are those of the Makefile.
	targets map[string]bool
	// packages are the folders of our packages, by the name of the package.
	packages map[string][]string
	// names are those declared in a file, by its path, as far as it was asked for.
	names map[string]map[string]bool
}

var target = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)

func newTree(files fs.FS) (*tree, error) {
	t := &tree{
		files: files, entries: map[string]bool{}, ignored: map[string]bool{".git": true}, targets: map[string]bool{},
		packages: map[string][]string{}, names: map[string]map[string]bool{},
	}
	lines, _ := fs.ReadFile(files, ".gitignore")
	for line := range strings.Lines(string(lines)) {
		if name, anchored := strings.CutPrefix(strings.TrimSpace(line), "/"); anchored {
			t.ignored[strings.TrimSuffix(name, "/")] = true
		}
	}
	rules, _ := fs.ReadFile(files, "Makefile")
	for _, found := range target.FindAllStringSubmatch(string(rules), -1) {
		t.targets[found[1]] = true
	}
	return t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case t.ignored[name] && entry.IsDir():
			return fs.SkipDir
		}
		t.entries[name] = true
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			return t.addPackage(name)
		}
		return nil
	})
}

func (t *tree) addPackage(file string) error {
	text, err := fs.ReadFile(t.files, file)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly)
	if err != nil {
		return nil //nolint:nilerr // a file of testdata need not be Go
	}
	name, folder := parsed.Name.Name, path.Dir(file)
	if !slices.Contains(t.packages[name], folder) {
		t.packages[name] = append(t.packages[name], folder)
	}
	return nil
}

// find returns the entries that a path stands for: itself, or those that its stars match.
func (t *tree) find(pattern string) []string {
	if !strings.Contains(pattern, "*") {
		if t.entries[pattern] {
			return []string{pattern}
		}
		return nil
	}
	var found []string
	for name := range t.entries {
		if matched, _ := path.Match(pattern, name); matched {
			found = append(found, name)
		}
	}
	return found
}

// declares reports whether the file, or a file of the folder, declares the name: a
// function, a method, a type, a constant or a variable.
func (t *tree) declares(where, name string) bool {
	if strings.HasSuffix(where, ".go") {
		return t.declared(where)[name]
	}
	return slices.ContainsFunc(t.find(where+"/*.go"), func(file string) bool { return t.declared(file)[name] })
}

func (t *tree) declared(file string) map[string]bool {
	if found, known := t.names[file]; known {
		return found
	}
	found := map[string]bool{}
	t.names[file] = found
	text, err := fs.ReadFile(t.files, file)
	if err != nil {
		return found
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return found
	}
	for _, declaration := range parsed.Decls {
		maps.Copy(found, namesOf(declaration))
	}
	return found
}

func namesOf(declaration ast.Decl) map[string]bool {
	found := map[string]bool{}
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		found[d.Name.Name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				found[s.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range s.Names {
					found[name.Name] = true
				}
			}
		}
	}
	return found
}
