package interpreter_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/output"
)

func TestAPageWithoutASchemeGetsOne(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"example.com/page":                                "https://example.com/page",
		"example.com:8443/page":                           "https://example.com:8443/page",
		"http://example.com/page":                         "http://example.com/page",
		"https://example.com/page":                        "https://example.com/page",
		"example.com/login?next=https://example.com/page": "https://example.com/login?next=https://example.com/page",
		"example.com/#https://example.com":                "https://example.com/#https://example.com",
	} {
		trigger, err := json.Marshal(map[string]any{"page": given})
		require.NoError(t, err)
		page, found := output.PageOf(&definition.Agent{URLPath: "page"}, trigger)
		require.True(t, found)
		require.Equal(t, want, page)
	}
}
