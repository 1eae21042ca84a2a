package shape_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/shape"
)

// What is measured of a text is what JSON makes of it.
func TestTextsAreMeasuredAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(
			rapid.Rune(), rapid.RuneFrom([]rune("\x00\b\f\n\r\t\x1b\x1f\"\\<>&\x7f\u2028\u2029é😀")))).Draw(t, "text")
		var written bytes.Buffer
		encoder := json.NewEncoder(&written)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(text))
		if strings.ContainsRune(text, '\uFFFD') {
			require.GreaterOrEqual(t, shape.WrittenLen(text), int64(written.Len()-len(`""`)-1))
			return
		}
		require.EqualValues(t, written.Len()-len("\"\"\n"), shape.WrittenLen(text), "%q", text)
	})
}
