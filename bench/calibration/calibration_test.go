package calibration

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiguresBecomeRowsWithTheirBars(t *testing.T) {
	found, err := rows([]byte(`{"model":"m","figures":[
		{"name":"right","atLeast":0.9,"tuning":0.95,"proof":0.8},
		{"name":"false","atMost":0.1,"tuning":0,"proof":0.05},
		{"name":"answered","tuning":0.5,"proof":0.25}]}`))
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.False(t, *found[0].Met)
	require.InDelta(t, 0.8, found[0].Measured, 0)
	require.InDelta(t, 0.95, found[0].Against, 0)
	require.True(t, *found[1].Met)
	require.Nil(t, found[2].Met)
	require.InDelta(t, 0.5, found[2].Ratio, 1e-12)
	_, err = json.Marshal(found)
	require.NoError(t, err, "one over nothing is no number of JSON")
}

func TestWhatIsMissingIsAnError(t *testing.T) {
	for _, printed := range []string{`{}`, `{"figures":[{"name":"x","proof":1}]}`, `x`} {
		_, err := rows([]byte(printed))
		require.Error(t, err, printed)
	}
}
