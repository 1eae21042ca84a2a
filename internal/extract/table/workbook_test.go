package table_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/unicode"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/table"
	"github.com/redline-svc/redline/internal/rules"
)

// made is a workbook as it is written by fill.
func made(t testing.TB, fill func(*excelize.File)) []byte {
	t.Helper()
	file := excelize.NewFile()
	defer func() { _ = file.Close() }()
	fill(file)
	var content bytes.Buffer
	require.NoError(t, file.Write(&content))
	return content.Bytes()
}

// rowsAt writes rows from a cell on.
func rowsAt(t testing.TB, file *excelize.File, sheet, cell string, rows ...[]any) {
	t.Helper()
	column, first, err := excelize.CellNameToCoordinates(cell)
	require.NoError(t, err)
	for i, values := range rows {
		at, err := excelize.CoordinatesToCellName(column, first+i)
		require.NoError(t, err)
		require.NoError(t, file.SetSheetRow(sheet, at, &values))
	}
}

func workbook(t testing.TB, file []byte) string {
	t.Helper()
	document, err := table.Workbook(file, nothing)
	require.NoError(t, err)
	return document.Markdown
}

func TestSheetsStandInTheirOrderUnderTheirNames(t *testing.T) {
	document, err := table.Workbook(made(t, func(f *excelize.File) {
		for _, name := range []string{"Zulu & co.", "nothing", "hidden", "very hidden"} {
			_, err := f.NewSheet(name)
			require.NoError(t, err)
			if name != "nothing" {
				rowsAt(t, f, name, "B3", []any{"name", "value"}, []any{name, 1})
			}
		}
		require.NoError(t, f.SetSheetVisible("hidden", false))
		require.NoError(t, f.SetSheetVisible("very hidden", false, true))
		rowsAt(t, f, "Sheet1", "A1", []any{"one | two", "line\nbreak"})
	}), nothing)
	require.NoError(t, err)
	require.Equal(t, extract.Metadata{Sheets: 5}, document.Metadata)
	require.Equal(t, "## Sheet1\n\n| one \\| two | line break |\n| --- | --- |\n"+
		"\n## Zulu & co.\n\n| name | value |\n| --- | --- |\n| Zulu & co. | 1 |\n"+
		"\n## hidden\n\n| name | value |\n| --- | --- |\n| hidden | 1 |\n"+
		"\n## very hidden\n\n| name | value |\n| --- | --- |\n| very hidden | 1 |\n", document.Markdown)
}

func TestBlocksAreTablesWithoutEmptyColumns(t *testing.T) {
	require.Equal(t, "## Sheet1\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n| column 1 | column 2 |\n| --- | --- |\n| 3 | |\n| | 4 |\n",
		workbook(t, made(t, func(f *excelize.File) {
			rowsAt(t, f, "Sheet1", "B2", []any{"a", nil, "b"}, []any{1, nil, 2})
			rowsAt(t, f, "Sheet1", "C6", []any{3}, []any{nil, nil, 4})
		})))
}

func TestMergedCellsRepeatTheirValue(t *testing.T) {
	require.Equal(t, "## Sheet1\n\n| column 1 | column 2 | column 3 |\n| --- | --- | --- |\n| Title | Title | Title |\n| a | b | c |\n| long | 1 | 2 |\n| long | 3 | 4 |\n| long | | |\n| | | end |\n",
		workbook(t, made(t, func(f *excelize.File) {
			rowsAt(t, f, "Sheet1", "A1", []any{"Title"}, []any{"a", "b", "c"}, []any{"long", 1, 2}, []any{nil, 3, 4}, nil, []any{nil, nil, "end"})
			require.NoError(t, f.MergeCell("Sheet1", "A1", "XFD1"))
			require.NoError(t, f.MergeCell("Sheet1", "A3", "A5"))
		})))
}

func TestCellsAreAsTheyAreDisplayed(t *testing.T) {
	moment := time.Date(2024, 2, 29, 13, 5, 9, 0, time.UTC)
	for _, c := range []struct {
		value  any
		format string
		want   string
	}{
		{moment, "d/m/yy", "2024-02-29"},
		{moment, `[$-407]d. mmmm yyyy`, "2024-02-29"},
		{moment, "mmm-yy", "2024-02-29"},
		{moment, "m/d/yy h:mm AM/PM", "2024-02-29T13:05:09"},
		{moment, `yyyy"年"m"月"d"日"`, "2024-02-29"},
		{0.75, "h:mm AM/PM", "18:00:00"},
		{1.5, "[h]:mm", "36:00"},
		{0.001, "mm:ss", "01:26"},
		{0.371, "0.0%", "37.1%"},
		{12.5, "#,##0%", "1,250%"},
		{1234567.891, "#,##0.00", "1,234,567.89"},
		{-1234.5, `"$"#,##0.00;("$"#,##0.00)`, "($1,234.50)"},
		{7, "0000", "0007"},
		{5, `[>100]"much";0`, "5"},
		{1e21, "", "1000000000000000000000"},
		{123456789012, "", "123456789012"},
		{0.1, "", "0.1"},
		{true, "", "TRUE"},
		{"=", "@", "="},
		{5, `"` + strings.Repeat("x", 254) + `"0`, "5"},
	} {
		text := workbook(t, made(t, func(f *excelize.File) {
			rowsAt(t, f, "Sheet1", "A1", []any{"value", "other"}, []any{c.value, "x"})
			if c.format != "" {
				style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &c.format})
				require.NoError(t, err)
				require.NoError(t, f.SetCellStyle("Sheet1", "A2", "A2", style))
			}
		}))
		require.Contains(t, text, "\n| "+c.want+" | x |\n", c.format)
	}
}

func TestBuiltInDatesAreISO(t *testing.T) {
	for format, want := range map[int]string{14: "2024-02-29", 17: "2024-02-29", 18: "12:00:00", 22: "2024-02-29T12:00:00", 27: "2024-02-29", 34: "2024-02-29T12:00:00"} {
		file := made(t, func(f *excelize.File) {
			style, err := f.NewStyle(&excelize.Style{NumFmt: format})
			require.NoError(t, err)
			rowsAt(t, f, "Sheet1", "A1", []any{"day"}, []any{45351.5})
			require.NoError(t, f.SetCellStyle("Sheet1", "A2", "A2", style))
		})
		require.Equal(t, "## Sheet1\n\n| day |\n| --- |\n| "+want+" |\n", workbook(t, file), format)
	}
}

func TestDatesOf1904AndStoredValuesOfFormulas(t *testing.T) {
	file := made(t, func(f *excelize.File) {
		yes := true
		require.NoError(t, f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}))
		style, err := f.NewStyle(&excelize.Style{NumFmt: 14})
		require.NoError(t, err)
		rowsAt(t, f, "Sheet1", "A1", []any{"day", "sum"}, []any{44000, 42})
		require.NoError(t, f.SetCellStyle("Sheet1", "A2", "A2", style))
		require.NoError(t, f.SetCellFormula("Sheet1", "B2", "1+1"))
	})
	require.Contains(t, workbook(t, file), "| 2024-06-19 |")
	require.Contains(t, workbook(t, replaced(t, file, "<f>1+1</f>", "<f>1+1</f><v>42</v>")), "| 2024-06-19 | 42 |")
}

func TestRulesStandInCellsUnderTheirSheet(t *testing.T) {
	found := rules.Extract(workbook(t, made(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetName("Sheet1", "Fire & doors"))
		rowsAt(t, f, "Fire & doors", "A1", []any{"nr", "rule"}, []any{1, "Every door must be shut at night."}, []any{2, "Windows are large."})
	}))).Rules
	require.Len(t, found, 1)
	require.Equal(t, "Every door must be shut at night.", found[0].Content)
	require.Equal(t, "Fire & doors", found[0].Category)
}

func TestFaultsOfWorkbooksHaveTheirReason(t *testing.T) {
	sound := made(t, func(f *excelize.File) { rowsAt(t, f, "Sheet1", "A1", []any{"a", "b"}) })
	locked := made(t, func(f *excelize.File) { rowsAt(t, f, "Sheet1", "A1", []any{"a"}) })
	var err error
	locked, err = excelize.Encrypt(locked, &excelize.Options{Password: "secret"})
	require.NoError(t, err)
	many := func(rows int) []byte {
		return made(t, func(f *excelize.File) {
			w, err := f.NewStreamWriter("Sheet1")
			require.NoError(t, err)
			for n := 1; n <= rows; n++ {
				at, err := excelize.CoordinatesToCellName(1, n)
				require.NoError(t, err)
				require.NoError(t, w.SetRow(at, []any{"x"}))
			}
			require.NoError(t, w.Flush())
		})
	}
	for name, c := range map[string]struct {
		file   []byte
		reason string
	}{
		"encrypted":        {locked, extract.Encrypted},
		"old":              {old(t), extract.UnsupportedFormat},
		"container":        {append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 2000)...), extract.Corrupt},
		"cut container":    {locked[:600], extract.Corrupt},
		"truncated":        {sound[:len(sound)-100], extract.Corrupt},
		"text":             {[]byte("a,b\n"), extract.Corrupt},
		"blank":            {made(t, func(*excelize.File) {}), extract.Empty},
		"white space":      {made(t, func(f *excelize.File) { rowsAt(t, f, "Sheet1", "C5", []any{" ", "\n", "\u200b"}) }), extract.Empty},
		"damaged sheet":    {replaced(t, sound, "</sheetData>", "</sheet"), extract.Corrupt},
		"cut sheet":        {replaced(t, sound, "</sheetData>", "<row><c"), extract.Corrupt},
		"damaged row":      {replaced(t, sound, `r="B1"`, `r="B1" x=<`), extract.Corrupt},
		"unknown relation": {replaced(t, sound, `Target="xl/workbook.xml"`, `Target="xl/other.xml"`), extract.Corrupt},
		"most rows":        {many(extract.MaxRows), ""},
		"too many rows":    {many(extract.MaxRows + 1), extract.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := table.Workbook(c.file, nothing)
			if c.reason == "" {
				require.NoError(t, err)
				return
			}
			require.NotNil(t, extract.AsFailure(err), "%v", err)
			require.Equal(t, c.reason, extract.AsFailure(err).Reason)
		})
	}
}

// utf16 is a text in that encoding, with its mark or without.
func utf16(text string, order unicode.Endianness, mark unicode.BOMPolicy) string {
	wide, _ := unicode.UTF16(order, mark).NewEncoder().String(text) // each text can be written so
	return wide
}

// repacked is a workbook whose parts have other names and contents.
func repacked(t *testing.T, file []byte, change func(name, content string) (string, string)) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for _, part := range from.File {
		opened, err := part.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(opened)
		require.NoError(t, err)
		name, text := change(part.Name, string(content))
		to, err := archive.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(to, text)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return packed.Bytes()
}

func TestPartsMayBeInUTF16AndHaveOtherNames(t *testing.T) {
	file := made(t, func(f *excelize.File) {
		style, err := f.NewStyle(&excelize.Style{NumFmt: 14})
		require.NoError(t, err)
		rowsAt(t, f, "Sheet1", "A1", []any{"Größe", "Tag"}, []any{"10 €", 45351}, []any{"😀", 45352})
		require.NoError(t, f.SetCellStyle("Sheet1", "B2", "B3", style))
	})
	want := workbook(t, file)
	require.Equal(t, "## Sheet1\n\n| Größe | Tag |\n| --- | --- |\n| 10 € | 2024-02-29 |\n| 😀 | 2024-03-01 |\n", want)
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			for _, declared := range []string{"UTF-16", "UTF-8", ""} {
				wide := repacked(t, file, func(name, content string) (string, string) {
					_, content, _ = strings.Cut(content, "<")
					content = "<" + content
					if strings.HasPrefix(content, "<?xml") {
						_, content, _ = strings.Cut(content, "?>")
						content = strings.TrimSpace(content)
					}
					if declared != "" {
						content = `<?xml version="1.0" encoding="` + declared + `"?>` + content
					}
					return name, utf16(content, order, mark)
				})
				require.Equal(t, want, workbook(t, wide), "%v %v %s", order, mark, declared)
				require.True(t, extract.Check(extract.TypeXLSX, wide))
			}
		}
	}
	for to, target := range map[string]string{"xl/wkbk.xml": "xl/wkbk.xml", "book.xml": "/book.xml", "XL/My Book.xml": "xl/My%20Book.xml", "a/b c.xml": "/a/b c.xml"} {
		other := repacked(t, file, func(name, content string) (string, string) {
			folder, base := path.Split(to)
			switch name {
			case "xl/workbook.xml":
				return to, content
			case "xl/_rels/workbook.xml.rels":
				return folder + "_rels/" + base + ".rels", strings.NewReplacer(`Target="worksheets`, `Target="/xl/worksheets`, `Target="s`, `Target="/xl/s`).Replace(content)
			default:
				return name, strings.NewReplacer("/xl/workbook.xml", "/"+to, "xl/workbook.xml", target).Replace(content)
			}
		})
		require.Equal(t, want, workbook(t, other), to)
		require.True(t, extract.Check(extract.TypeXLSX, other), to)
	}
}

func TestNamesOfSheetsAreHeadingsOfThatText(t *testing.T) {
	for _, name := range []string{"#", "##", "C #", "C#", "# 1", "#1", "_a_", "__a__", "a_b_c", "(_x_)", "- a", "1. a", "a  b", "Fire & doors", "###### ######"} {
		text := workbook(t, made(t, func(f *excelize.File) {
			require.NoError(t, f.SetSheetName("Sheet1", name))
			rowsAt(t, f, name, "A1", []any{"who", "rule"}, []any{1, "Every door must be shut at night."})
		}))
		found := rules.Extract(text).Rules
		require.Len(t, found, 1, name)
		require.Equal(t, strings.Join(strings.Fields(name), " "), found[0].Category, text)
		chunks := chunk.Split(text)
		require.Len(t, chunks, 1, name)
		require.Equal(t, name, strings.ReplaceAll(chunks[0].Path, `\`, ""))
	}
}

func TestEmptyCellsAndMergesAcrossRowsThatAreNotWritten(t *testing.T) {
	file := made(t, func(f *excelize.File) {
		rowsAt(t, f, "Sheet1", "A1", []any{"a", "b"})
		rowsAt(t, f, "Sheet1", "A5", []any{"c", "d"})
		require.NoError(t, f.MergeCell("Sheet1", "A1", "A3"))
	})
	require.Equal(t, "## Sheet1\n\n| a | b |\n| --- | --- |\n| a | |\n| a | |\n\n| c | d |\n| --- | --- |\n", workbook(t, file))
	odd := replaced(t, file, `<c r="B5"`, `<c r="C5" t="b"></c><c r="D5" t="e"><v>#N/A</v></c><c r="E5" t="b"><v>0</v></c><c r="F5" t="d"><v>2031-03-04T00:00:00</v></c>`+
		`<c r="G5" t="str"><f>x</f><v>a_x000D__x0041_b</v></c><c r="H5" t="inlineStr"><is><r><t>ka</t></r><rPh><t>no</t></rPh><r><t>nji</t></r></is></c><c r="B5"`)
	require.Contains(t, workbook(t, odd), "| c | d | #N/A | FALSE | 2031-03-04T00:00:00 | a Ab | kanji |")
}

// old is a workbook of the binary kind.
func old(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/old.xls")
	require.NoError(t, err)
	return file
}
