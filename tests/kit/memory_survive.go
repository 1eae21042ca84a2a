package kit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/proxy"
)

// Manual returns a text of that many sections, each a chunk with a rule and with
// words that no other text has.
func Manual(sections int) string {
	word := Unique("part")
	var text strings.Builder
	for i := range sections {
		fmt.Fprintf(&text, "# Section %d\n\nPart %s-%d must be oiled every %d days. %s\n\n", i, word, i, i+2,
			strings.Repeat("The old machine turns slowly while the workers watch it. ", 8))
	}
	return text.String()
}

// BeforePart opens a proxy in front of the port of a part that a variable names.
func BeforePart(t *testing.T, variable string) *proxy.Plain {
	t.Helper()
	port, err := proxy.NewPlain(Shared.Env[variable])
	require.NoError(t, err)
	t.Cleanup(port.Down)
	return port
}
