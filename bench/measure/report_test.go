package measure

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAReportTakesThePlaceOfTheOneBefore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	require.NoError(t, Report(folder, []Row{Beside(Row{Name: "first", Unit: "ms", Measured: 1})}))
	require.NoError(t, Report(folder, []Row{AtMost(0.5, Row{Name: "second", Unit: "ms", Measured: 3, What: "bare", Against: 4})}))

	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	table, err := os.ReadFile(filepath.Join(folder, TableFile))
	require.NoError(t, err)
	require.Regexp(t, `second +3 ms +bare +4 ms +0\.750 +ratio at most 0\.5 +MISSED`, string(table))
	require.NotContains(t, string(table), "first")

	text, err := os.ReadFile(filepath.Join(folder, DataFile))
	require.NoError(t, err)
	var written struct {
		At   string `json:"at"`
		Rows []Row  `json:"rows"`
	}
	require.NoError(t, json.Unmarshal(text, &written))
	require.NotEmpty(t, written.At)
	require.Len(t, written.Rows, 1)
	require.Equal(t, "second", written.Rows[0].Name)
}
