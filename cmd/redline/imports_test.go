package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the path of ours.
const module = "github.com/redline-svc/redline/"

// importRule is one line of the table of who may import whom. Entries are
// paths, of ours or others', that stand for everything below them too.
type importRule struct {
	of string
	// never must not be linked at all, however long the chain.
	never []string
	// notDirectly must not be imported by the package itself.
	notDirectly []string
	// ours are the only packages of ours in the chain; nil allows all.
	ours []string
	// standardOnly allows nothing but the standard library.
	standardOnly bool
}

var (
	engine, web, rows = "go.temporal.io", "github.com/gin-gonic/gin", "gorm.io"
	pdf, workbooks    = "github.com/klippa-app/go-pdfium", "github.com/xuri/excelize"
)

// kits are what black-box tests and benchmarks share.
var kits = []string{module + "tests/client", module + "tests/receiver", module + "tests/proxy", module + "tests/stack"}

// areaMay is what an area of the interface may link of ours: no other area.
var areaMay = []string{module + "api/rpc", module + "models", module + "internal"}

// modelsMay is what a package of the models may link of ours: the leaves, what all
// of them stand on, lists, and the named ones.
func modelsMay(names ...string) []string {
	may := []string{module + "internal", module + "models/internal/pg", module + "models/internal/list"}
	for _, name := range names {
		may = append(may, module+"models/"+name)
	}
	return may
}

var importRules = []importRule{
	{of: "internal/contract", standardOnly: true},
	{of: "internal", never: []string{module + "api", module + "models", module + "activities", module + "workflows", module + "worker", rows, engine}},
	{of: "internal/definition/strict", ours: []string{module + "internal/fault"}},
	{of: "internal/walk/event", ours: []string{}},
	{of: "internal/walk/output", ours: []string{module + "internal/definition", module + "internal/fault", module + "internal/predicate", module + "internal/shape"}},
	{of: "internal/walk/resolution", ours: []string{module + "internal/definition", module + "internal/fault", module + "internal/predicate", module + "internal/shape"}},
	{of: "models", never: []string{module + "api", module + "activities", module + "workflows", module + "worker", engine, web}},
	{of: "models/internal/pg", ours: []string{module + "internal"}},
	{of: "models/internal/list", ours: []string{module + "internal", module + "models/internal/pg"}},
	{of: "models/migrations", ours: modelsMay()},
	{of: "models/nudge", ours: modelsMay()},
	{of: "models/vector", notDirectly: []string{module + "models"}},
	{of: "models/workspace", ours: modelsMay()},
	{of: "models/subject", ours: modelsMay()},
	{of: "models/job", ours: modelsMay("nudge")},
	{of: "models/directory", ours: modelsMay("directory", "nudge", "job", "subject")},
	{of: "models/group", ours: modelsMay("nudge", "job", "subject", "directory")},
	{of: "models/definition", ours: modelsMay("subject")},
	{of: "models/agent", ours: modelsMay("workspace")},
	{of: "models/delivery", ours: modelsMay("nudge")},
	{of: "models/judgment", ours: modelsMay("nudge", "job", "pattern", "subject", "vector")},
	{of: "models/pattern", ours: modelsMay("nudge", "job", "subject", "vector")},
	{of: "models/endpoint", ours: modelsMay("nudge", "job", "workspace", "delivery")},
	{of: "models/mail", ours: modelsMay("nudge", "job", "workspace", "subject", "directory", "delivery")},
	{of: "models/execution", ours: modelsMay("nudge", "agent", "job", "delivery", "mail", "workspace", "directory", "judgment", "pattern", "subject", "vector")},
	{of: "models/execution/view", ours: modelsMay("subject")},
	{of: "models/activity", ours: modelsMay("nudge", "job", "directory", "subject")},
	{of: "models/annotation", ours: modelsMay("annotation", "activity", "nudge", "agent", "job", "workspace", "directory", "delivery", "mail", "notification", "judgment", "pattern", "subject", "vector")},
	{of: "models/notification", ours: modelsMay("nudge", "job", "subject", "directory")},
	{of: "models/knowledge", ours: modelsMay("nudge", "workspace", "delivery", "subject", "vector")},
	{of: "activities", never: []string{module + "api", module + "workflows", module + "worker", web}, notDirectly: []string{rows, "github.com/danielgtaylor/huma"}},
	{of: "workflows", never: []string{rows}, notDirectly: []string{"net/http", "os", "encoding/json"}, ours: []string{module + "workflows", module + "internal/contract"}},
	{of: "api", never: []string{module + "cmd", module + "activities", module + "workflows", module + "worker", engine, pdf, workbooks}, notDirectly: []string{rows}},
	{of: "api/rpc", ours: []string{module + "models", module + "internal"}},
	{of: "api/workspace", ours: areaMay},
	{of: "api/webhook", ours: areaMay},
	{of: "api/workflow", ours: areaMay},
	{of: "api/collaboration", ours: append([]string{module + "api/collaboration/part"}, areaMay...)},
	{of: "api/collaboration/part", ours: areaMay},
	{of: "api/memory", ours: areaMay},
	{of: "worker", never: []string{module + "api", module + "cmd", web}},
	{of: "cmd/redline/reindex", never: []string{module + "api", module + "workflows", module + "worker", web}, notDirectly: []string{rows, engine}},
	{of: "cmd/redline/calibrate", ours: []string{module + "internal", module + "cmd/redline/calibrate"}},
	{of: "tests", ours: kits},
	{of: "bench", ours: append([]string{module + "bench"}, kits...)},
	{of: "bench/measure", ours: []string{}},
	{of: "bench/corpus", ours: []string{}},
	{of: "bench/calibration", ours: []string{module + "bench/measure"}},
	{of: "bench/documents", ours: []string{module + "bench/measure", module + "tests/client"}},
	{of: "bench/ear", ours: []string{module + "bench/measure", module + "tests/receiver"}},
	{of: "bench/bare", ours: []string{module + "bench/measure", module + "bench/ear", module + "tests/receiver"}},
}

// The table of imports holds for whole chains.
func TestImportRules(t *testing.T) {
	direct := list(t, "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	for _, rule := range importRules {
		t.Run(rule.of, func(t *testing.T) {
			packages := under(direct, module+rule.of)
			if rule.of != "bench" && rule.of != "tests" {
				require.NotEmpty(t, packages, "the package is gone: so must its rule be")
			}
			for name, imports := range packages {
				for _, imported := range imports {
					require.False(t, matches(imported, rule.notDirectly), "%s imports %s", name, imported)
				}
				rule.checkChain(t, name)
			}
		})
	}
}

func (r importRule) checkChain(t *testing.T, name string) {
	t.Helper()
	for linked := range list(t, "-deps", name) {
		require.False(t, matches(linked, r.never), "%s links %s", name, linked)
		own := strings.HasPrefix(linked, module) && linked != name
		if own && r.ours != nil {
			require.True(t, matches(linked, r.ours), "%s links %s", name, linked)
		}
		if r.standardOnly && linked != name {
			require.NotContains(t, strings.Split(linked, "/")[0], ".", "%s links %s", name, linked)
		}
	}
}

// list runs go list at the root of the module; each line is a package, and what
// else the format gives of it.
func list(t *testing.T, args ...string) map[string][]string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	command.Dir = "../.."
	out, err := command.Output()
	require.NoError(t, err, "go list %v", args)
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		found[words[0]] = words[1:]
	}
	return found
}

// under keeps the packages at and below a path.
func under(packages map[string][]string, path string) map[string][]string {
	kept := map[string][]string{}
	for name, imports := range packages {
		if matches(name, []string{path}) {
			kept[name] = imports
		}
	}
	return kept
}

// matches tells whether path is one of paths, or below it.
func matches(path string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		return path == p || strings.HasPrefix(path, p+"/")
	})
}
