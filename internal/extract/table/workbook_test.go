package table_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

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
	document, err := table.Workbook(file, t.TempDir(), nothing)
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
	}), t.TempDir(), nothing)
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
		{12.5, "#,##0%", "1250%"},
		{1234567.891, "#,##0.00", "1,234,567.89"},
		{-1234.5, `"$"#,##0.00;("$"#,##0.00)`, "($1,234.50)"},
		{7, "0000", "0007"},
		{5, `[>100]"much";0`, "5"},
		{1e21, "", "1E+21"},
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
			_, err := table.Workbook(c.file, t.TempDir(), nothing)
			if c.reason == "" {
				require.NoError(t, err)
				return
			}
			require.NotNil(t, extract.AsFailure(err), "%v", err)
			require.Equal(t, c.reason, extract.AsFailure(err).Reason)
		})
	}
}

// old is a workbook of the binary kind.
func old(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/old.xls")
	require.NoError(t, err)
	return file
}
