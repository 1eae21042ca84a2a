package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module begins the paths of packages of ours.
const module = "github.com/redline-svc/redline/"

// unlinked are the packages that others must not link, however long the chain of
// imports is. Entries stand for everything below them too. Who may import whom
// directly is held by depguard.
var unlinked = map[string][]string{
	"./api/...":       {"go.temporal.io", "github.com/klippa-app/go-pdfium"},
	"./workflows/...": {"gorm.io"},
	"./cmd/redline": {
		module + "cmd/redline-dev", module + "tools", "github.com/fergusstrange/embedded-postgres",
	},
}

// callers know of the service what everybody who calls it knows, by the Go client: of ours they
// link these.
var callers = map[string][]string{
	"./console": {"clients/go", "console", "console/graph"},
	"./mcp":     {"clients/go", "mcp"},
}

func TestChainsOfImports(t *testing.T) {
	t.Parallel()
	for of, known := range callers {
		var ours []string
		for linked := range strings.FieldsSeq(list(t, "-deps", of)) {
			if path, is := strings.CutPrefix(linked, module); is {
				ours = append(ours, path)
			}
		}
		require.ElementsMatch(t, known, ours, of)
	}
	for of, refused := range unlinked {
		for linked := range strings.FieldsSeq(list(t, "-deps", of)) {
			for _, path := range refused {
				require.False(t, linked == path || strings.HasPrefix(linked, path+"/"), "%s links %s", of, linked)
			}
		}
	}
}

// Every package that is no test says in a doc.go what it is for.
func TestPackagesHaveADocument(t *testing.T) {
	t.Parallel()
	for each := range strings.Lines(list(t, "-f", "{{if .GoFiles}}{{.ImportPath}} {{.GoFiles}}{{end}}", "./...")) {
		require.Regexp(t, `[\[ ]doc\.go[\] ]`, each)
	}
}

// list runs go list at the root of the module.
func list(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	command.Dir = "../.."
	out, err := command.Output()
	require.NoError(t, err, "go list %v", args)
	require.NotEmpty(t, out)
	return string(out)
}
