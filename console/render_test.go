package console

import (
	"encoding/json"
	"html/template"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sixty arrays around many zeros are sixty times as long once each stands on its line.
func TestALargeValueIsShownAsItCameAndCutOff(t *testing.T) {
	t.Parallel()
	nested := func(zeros int) json.RawMessage {
		return json.RawMessage(strings.Repeat("[", 60) + strings.Repeat("0,", zeros) + "0" + strings.Repeat("]", 60))
	}
	require.Greater(t, strings.Count(pretty(nested(100)), "\n"), 200)
	require.Len(t, freeOf(nested(100)), 1)
	large := pretty(nested(largestValue))
	require.Less(t, len(large), largestValue+10)
	require.True(t, strings.HasSuffix(large, "…"))
	require.Equal(t, large, freeOf(nested(largestValue)))
	require.Greater(t, len(indented(nested(largestValue))), largestValue, "what is edited is whole")
}

func TestAPageEndsWhereItIsTooLarge(t *testing.T) {
	t.Parallel()
	endless := template.Must(template.New("page").Parse(`{{range .}}<li>{{.}}</li>{{end}}`))
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = strings.Repeat("<", 64<<10)
	}
	var out bounded
	require.NoError(t, endless.Execute(&out, lines[:10]))
	err := endless.Execute(&out, lines)
	require.ErrorIs(t, err, errLargePage)
	require.LessOrEqual(t, out.text.Len(), largestPage)
}
