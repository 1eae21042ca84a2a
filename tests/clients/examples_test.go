package clients

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	examples "github.com/redline-svc/redline/examples/go"
	"github.com/redline-svc/redline/tests/kit"
)

// TestExamples plays the Go code of the guide in the demo workspace, as its reader would.
func TestExamples(t *testing.T) {
	asDemo(t)
	text, err := os.ReadFile("../../examples/answers.json")
	require.NoError(t, err)
	var answers map[string]string
	require.NoError(t, json.Unmarshal(text, &answers))
	played := map[string]func(context.Context) string{
		"first-execution": examples.FirstExecution, "approvals": examples.Approvals, "webhooks": examples.Webhooks, "comments": examples.Comments,
		"knowledge": examples.Knowledge, "suggest": examples.Suggest, "agents": examples.Agents, "errors": examples.Errors,
		"paging": examples.Paging, "testing": examples.Testing,
	}
	require.Len(t, played, len(answers))
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() { require.Nil(t, recover(), "the example failed") }()
			require.Equal(t, answer, strings.TrimSpace(played[name](t.Context())))
		})
	}
}

// asDemo sets the variables that a shell has that has read demo.env. All tests set the same.
func asDemo(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(kit.Shared.Folder, "demo.env"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if name, value, is := strings.Cut(strings.TrimSpace(line), "="); is && strings.HasPrefix(name, "REDLINE_") {
			require.NoError(t, os.Setenv(name, strings.Trim(value, `'"`))) //nolint:usetesting // t.Setenv is not for tests in parallel
		}
	}
}
