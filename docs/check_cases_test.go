package docs

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// smallTree is a made-up tree: two packages of ours, a folder that a command makes, and
// a script.
func smallTree(t *testing.T) *tree {
	t.Helper()
	made := fstest.MapFS{}
	for name, text := range map[string]string{
		".gitignore":              "/.local/\n*.out\n",
		"Makefile":                "help: ## list\n\techo\n\ntest-unit: help\nGO := go\n",
		".ci/run":                 "make test\n",
		"models/note/doc.go":      "// Package note has notes.\npackage note\n",
		"models/note/note.go":     "package note\n\ntype Note struct{}\n\nfunc (Note) Read() {}\n\nfunc Add() {}\n\nconst Most = 3\n",
		"models/note/list.go":     "package note\n\nvar newest, oldest int\n\nfunc Page() {}\n",
		"models/note/add_test.go": "package note\n",
		"api/routes_notes.go":     "package api\n\nfunc noteRoutes() {}\n",
		"docs/picture.md":         "",
		"broken/half.go":          "package",
	} {
		made[name] = &fstest.MapFile{Data: []byte(text)}
	}
	found, err := newTree(made)
	require.NoError(t, err)
	return found
}

// A document in Markdown, and what of it is not there.
var markdownCases = map[string]struct {
	text   string
	faults []string
}{
	"paths that are there": {"`models/note`, `models/note/`, `./models/...`, `models/note/note.go`, `docs/picture.md`, [runs](.ci/run)", nil},
	"globs":                {"`models/note/*_test.go`, `api/routes_<area>.go`, `models/<package>/note.go`", nil},
	"what is no path": {
		"`/v2/notes/add`, `notes/add`, `application/json`, `example.com/module`, `.local/demo.env`, `note`, `./...`, models/gone.go without marks", nil,
	},
	"a file that is gone":          {"first\n\nsee `models/note/gone.go`", []string{"GUIDE.md:3: there is no models/note/gone.go"}},
	"a folder that is gone":        {"`models/gone`", []string{"GUIDE.md:1: there is no models/gone"}},
	"a folder at the root":         {"`gone/` and `./gone`", []string{"GUIDE.md:1: there is no gone/", "GUIDE.md:1: there is no ./gone"}},
	"a glob of nothing":            {"`models/<package>/gone.go`", []string{"GUIDE.md:1: there is no models/<package>/gone.go"}},
	"a link to nothing":            {"[this](docs/gone.md#part), [that](https://example.com/gone.md), [here](#part), [it](GONE)", []string{"GUIDE.md:1: there is no ./docs/gone.md", "GUIDE.md:1: there is no ./GONE"}},
	"a name alone":                 {"`models/note` has `note.go` and `gone.go`", []string{"GUIDE.md:1: there is no gone.go"}},
	"a name under another heading": {"`models/note`\n\n## Next\n\n`note.go`", []string{"GUIDE.md:5: there is no note.go"}},
	"a command":                    {"`go test ./models/note/ ./models/gone/`", []string{"GUIDE.md:1: there is no ./models/gone/"}},
	"targets of make":              {"`make help test-unit ARGS=\"-only gone\"`, `make gone`, `make <target>`", []string{"GUIDE.md:1: there is no make gone"}},
	"a block of code":              {"```sh\n.ci/run\nmodels/gone.go\n```", []string{"GUIDE.md:3: there is no models/gone.go"}},
	"a file and its names": {
		"`models/note/note.go` `Add`, `Read` and `Most`, `list.go` `newest`, `oldest`, or `Page`", nil,
	},
	"a name that the file lacks":    {"`models/note/note.go` `Add`, `Page`", []string{"GUIDE.md:1: Page is not declared in models/note/note.go"}},
	"a name in a file":              {"`Add` in `models/note/note.go`, `Page` in\n`models/note/note.go` or `Page` and `Add` in `models/note`", []string{"GUIDE.md:1: Page is not declared in models/note/note.go"}},
	"names in a package":            {"`Add`, `Page` and `Gone` in `models/note`", []string{"GUIDE.md:1: Gone is not declared in models/note"}},
	"a name with its file behind":   {"`models/note`: `Add` (`note.go`), `Page` (`note.go`)", []string{"GUIDE.md:1: Page is not declared in models/note/note.go"}},
	"a name that belongs elsewhere": {"`models/note/note.go` keeps what `Gone` was, and `models/note/note.go` adds, then `Gone`", nil},
	"names of a package of ours": {
		"`note.Add(ctx)`, `note.Note`, `note.Gone`, `other.Gone`", []string{"GUIDE.md:1: note.Gone is not declared in models/note"},
	},
	"a table": {
		"| Question | File | Function |\n|---|---|---|\n| one | `models/note/note.go`, `list.go` | `Add`, `Page` |\n| two | `models/note/note.go`, `list.go` | `Page`, `Gone` |",
		[]string{
			"GUIDE.md:4: Gone is not declared in models/note/note.go, models/note/list.go",
			"GUIDE.md:4: models/note/note.go declares none of what is named beside it",
		},
	},
	"a table of files alone":           {"| File | Holds |\n|---|---|\n| `models/note/list.go` | pages |\n| `models/note/gone.go` | nothing |", []string{"GUIDE.md:4: there is no models/note/gone.go"}},
	"cells do not run into each other": {"| Where | What |\n|---|---|\n| `models/note/note.go` | `Gone` |", nil},
}

func TestWhatADocumentNames(t *testing.T) {
	small := smallTree(t)
	for name, c := range markdownCases {
		t.Run(name, func(t *testing.T) {
			faults, err := small.check("GUIDE.md", c.text)
			require.NoError(t, err)
			require.Equal(t, c.faults, faults)
		})
	}
}

func TestWhatAPackageCommentNames(t *testing.T) {
	small := smallTree(t)
	for name, c := range map[string]struct {
		comment string
		faults  []string
	}{
		"files of the package":   {"// Package note has notes (note.go, list.go), and/or pages of them.\n// models/note/note.go and ./models/... too, see doc.go.\n", nil},
		"a file that is gone":    {"// Package note has notes\n// (gone.go).\n", []string{"models/note/doc.go:2: there is no gone.go"}},
		"a folder that is gone":  {"// Package note imports models/gone.\n", []string{"models/note/doc.go:1: there is no models/gone"}},
		"a file of another one":  {"// Package note is listed in routes_notes.go.\n", []string{"models/note/doc.go:1: there is no routes_notes.go"}},
		"names are not compared": {"// Package note reads `note.go` `Gone`.\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			faults, err := small.check("models/note/doc.go", c.comment+"package note\n")
			require.NoError(t, err)
			require.Equal(t, c.faults, faults)
		})
	}
	_, err := small.check("models/note/doc.go", "no Go at all")
	require.Error(t, err)
}

func TestWhichFilesAreDocuments(t *testing.T) {
	for name, is := range map[string]bool{
		"README.md": true, "CONTRIBUTING.md": true, "CHANGELOG.md": true, "clients/go/CHANGELOG.md": true, "docs/architecture.md": true, "models/note/doc.go": true, "bench/results/README.md": true,
		"models/note/testdata/README.md": false, "models/note/notes.md": false, "models/note/note.go": false,
	} {
		require.Equal(t, is, isDocument(name), name)
	}
}
