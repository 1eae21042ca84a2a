package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// helped is a target that make help lists.
	helped = regexp.MustCompile(`(?m)^([a-z-]+):.*## (.*)$`)
	// takes ends what is said of one.
	takes = regexp.MustCompile(` \(([^()]+)\)$`)
	// commanded is a row of the README: the target, and in its last cell what it takes.
	commanded = regexp.MustCompile("(?m)^\\| `make ([a-z-]+)` \\|.*\\| ?([^|]*?) ?\\|$")
)

// The README and make help have the same commands, and say the same of what each takes.
func TestCommandsSayWhatTheyTake(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	said := map[string]string{}
	for _, line := range helped.FindAllStringSubmatch(string(makefile), -1) {
		if line[1] == "help" {
			continue
		}
		found := takes.FindStringSubmatch(line[2])
		require.NotNil(t, found, "make help says what %s takes", line[1])
		said[line[1]] = found[1]
	}
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	written := map[string]string{}
	for _, row := range commanded.FindAllStringSubmatch(string(readme), -1) {
		written[row[1]] = strings.ReplaceAll(row[2], "`", "")
	}
	require.Equal(t, said, written)
	require.Contains(t, said, "test")
}
