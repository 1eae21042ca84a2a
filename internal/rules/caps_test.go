package rules_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/rules"
)

// A heading and a lead-in stand in many rules: neither makes them long.
func TestNoHeadingAndNoLeadInIsRepeatedWithoutEnd(t *testing.T) {
	long := strings.Repeat("long ", 60_000)
	found := rules.Extract("# " + long + "\n\n" + strings.Repeat("Doors must be shut. Gates must be shut.\n\n", 2))
	require.Len(t, found.Rules, 2)
	require.LessOrEqual(t, utf8.RuneCountInString(found.Rules[0].Category), 300)

	found = rules.Extract("You must " + long + ":\n\n" + strings.Repeat("- one two three\n", 10_000))
	require.Empty(t, found.Rules)
	require.Equal(t, 10_000, found.Skipped)
}
