package console_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The console knows of the service what its callers know: the published interface, by the Go client.
func TestImportsNothingOfTheServiceButItsClient(t *testing.T) {
	const module = "github.com/redline-svc/redline/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	var ours []string
	for linked := range strings.FieldsSeq(string(out)) {
		if path, is := strings.CutPrefix(linked, module); is {
			ours = append(ours, path)
		}
	}
	require.ElementsMatch(t, []string{"clients/go", "console", "console/graph"}, ours)
}
