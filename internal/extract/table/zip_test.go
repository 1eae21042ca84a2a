package table_test

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// replaced is a workbook in whose parts a text stands for another one.
func replaced(t *testing.T, file []byte, from, to string) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	var content bytes.Buffer
	changed, writer := false, zip.NewWriter(&content)
	for _, f := range archive.File {
		part, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		other := bytes.ReplaceAll(text, []byte(from), []byte(to))
		changed = changed || !bytes.Equal(text, other)
		w, err := writer.Create(f.Name)
		require.NoError(t, err)
		_, err = w.Write(other)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	require.True(t, changed, "nothing was replaced")
	return content.Bytes()
}
