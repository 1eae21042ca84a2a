package extract_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
)

// zipped is a ZIP with a file of that many random bytes, and one of that name.
func zipped(t *testing.T, size int, name string) []byte {
	t.Helper()
	return archived(t, size, name, "")
}

// typed is a ZIP whose types, behind that many random bytes, have one of that kind.
func typed(t *testing.T, size int, kind string) []byte {
	t.Helper()
	return archived(t, size, "[Content_Types].xml", `<Types><Override PartName="/a/list.xml" ContentType="application/vnd.`+kind+`"/></Types>`)
}

func archived(t *testing.T, size int, name, content string) []byte {
	t.Helper()
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	first, err := archive.Create("media/picture")
	require.NoError(t, err)
	_, err = io.CopyN(first, rand.NewChaCha8([32]byte{}), int64(size))
	require.NoError(t, err)
	last, err := archive.Create(name)
	require.NoError(t, err)
	_, err = io.WriteString(last, content)
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	return file.Bytes()
}

func TestWorkbooksAreKnownByTheirList(t *testing.T) {
	ole := []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on")
	for name, c := range map[string]struct {
		file []byte
		want bool
	}{
		"workbook":        {zipped(t, 10, "xl/workbook.xml"), true},
		"late":            {zipped(t, 300_000, "xl/workbook.xml"), true},
		"binary":          {zipped(t, 10, "xl/workbook.bin"), true},
		"other slash":     {zipped(t, 10, `xl\workbook.xml`), true},
		"text document":   {zipped(t, 300_000, "word/document.xml"), false},
		"container":       {ole, true},
		"table":           {[]byte("a,b\n1,2\n"), false},
		"speaks of it":    {[]byte("see xl/workbook.xml"), false},
		"nothing":         {nil, false},
		"the mark alone":  {[]byte("PK\x03\x04"), false},
		"an empty folder": {[]byte("PK\x05\x06"), false},
		"another name":    {typed(t, 10, "openxmlformats-officedocument.spreadsheetml.sheet.main+xml"), true},
		"late types":      {typed(t, 300_000, "openxmlformats-officedocument.spreadsheetml.sheet.main+xml"), true},
		"with macros":     {typed(t, 10, "ms-excel.sheet.macroEnabled.main+xml"), true},
		"types of a text": {typed(t, 10, "openxmlformats-officedocument.wordprocessingml.document.main+xml"), false},
	} {
		got, err := extract.CheckFile(extract.TypeXLSX, iotest.HalfReader(bytes.NewReader(c.file)))
		require.NoError(t, err)
		require.Equal(t, c.want, got, name)
		require.Equal(t, c.want, extract.Check(extract.TypeXLSX, c.file), name)
	}
	for size := 65_400; size < 65_600; size++ { // the name stands across the border of what is read at a time
		got, err := extract.CheckFile(extract.TypeXLSX, bytes.NewReader(zipped(t, size, "xl/workbook.xml")))
		require.NoError(t, err)
		require.True(t, got)
	}
	broken := errors.New("broken off")
	_, err := extract.CheckFile(extract.TypeXLSX, io.MultiReader(bytes.NewReader([]byte("PK\x03\x04")), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

func TestOtherFilesAreKnownByTheirHead(t *testing.T) {
	long := bytes.Repeat([]byte("ä,b\n"), 10_000)
	for mimeType, want := range map[string]bool{extract.TypeCSV: true, extract.TypeText: true, extract.TypePDF: false, extract.TypeXLSX: false} {
		got, err := extract.CheckFile(mimeType, bytes.NewReader(long))
		require.NoError(t, err)
		require.Equal(t, want, got, mimeType)
	}
}
