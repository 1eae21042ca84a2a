package table_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract/table"
	"github.com/redline-svc/redline/tests/kit/linear"
)

func TestLong_RowsAreConvertedInLinearTime(t *testing.T) {
	for name, row := range map[string]string{
		"rows": "a,b\n", "columns": "a,", "empty columns": ",", "empty rows": "\n", "quoted cells": `"a",`, "quoted lines": "\"a\n\"\n", "quotation marks": `"`,
		"doubled marks": `""`, "marks in cells": `a"b,`, "delimiters": "a;b|c\td,e\n", "pipes": "|", "spaces": " ", "numbers": "1.000,", "one cell": "a", "one number": "1",
		"thousands": "1.000.", "bad bytes": "\xff\xfe", "marks": "\u0301", "a growing row": "a\na,b\n", "controls": "\x0b",
		"spaced marks": ` "a" ,`, "marks behind spaces": ` "a" b,`, "pairs behind spaces": ` """a,`, "open behind spaces": ", \"a\n", "spaces behind a mark": `"   a`,
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				file := []byte("a,b\n" + strings.Repeat(row, n))
				return func() { _, _ = table.CSV(file, nothing) }
			})
		})
	}
}

// grown are workbooks of which one part has n of something.
var grown = map[string]func(n int) map[string]string{
	"rows": func(n int) map[string]string {
		return map[string]string{"sheet": strings.Repeat(`<row><c><v>1</v></c></row>`, n)}
	},
	"cells of rows": func(n int) map[string]string {
		return map[string]string{"sheet": strings.Repeat(`<row>`+strings.Repeat(`<c><v>1</v></c>`, 100)+`</row>`, n)}
	},
	"tables": func(n int) map[string]string {
		var rows strings.Builder
		for i := range n {
			fmt.Fprintf(&rows, `<row r="%[1]d"><c r="A%[1]d"><v>1</v></c></row>`, 2*i+1)
		}
		return map[string]string{"sheet": rows.String()}
	},
	"texts": func(n int) map[string]string {
		return map[string]string{
			"texts": strings.Repeat(`<si><t>a</t></si>`, n), "sheet": strings.Repeat(fmt.Sprintf(`<row><c t="s"><v>%d</v></c></row>`, n-1), n),
		}
	},
	"pieces of a text": func(n int) map[string]string {
		return map[string]string{"texts": `<si>` + strings.Repeat(`<r><t>a</t></r>`, n) + `</si>`, "sheet": `<row><c t="s"><v>0</v></c></row>`}
	},
	"merged cells": func(n int) map[string]string {
		var merged strings.Builder
		for i := range n {
			fmt.Fprintf(&merged, `<mergeCell ref="A%d:B%d"/>`, i+1, i+1)
		}
		return map[string]string{"sheet": strings.Repeat(`<row><c><v>1</v></c></row>`, n), "merged": merged.String()}
	},
	"formats": func(n int) map[string]string {
		return map[string]string{
			"formats": strings.Repeat(`<xf numFmtId="14"/>`, min(n, 65_000)), "sheet": strings.Repeat(`<row><c s="0"><v>45000</v></c></row>`, n),
		}
	},
	"a long number": func(n int) map[string]string {
		return map[string]string{"sheet": `<row><c><v>1` + strings.Repeat("7", n) + `</v></c></row>`}
	},
	"nests": func(n int) map[string]string {
		return map[string]string{"sheet": strings.Repeat(strings.Repeat("<a>", 50)+strings.Repeat("</a>", 50), n) + `<row><c><v>1</v></c></row>`}
	},
}

func TestLong_WorkbooksAreConvertedInLinearTime(t *testing.T) {
	for name, parts := range grown {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				file := grownWorkbook(t, parts(n))
				return func() { _, _ = table.Workbook(file, nothing) }
			})
		})
	}
}

// grownWorkbook is a workbook of one sheet.
func grownWorkbook(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	merged := ""
	if parts["merged"] != "" {
		merged = "<mergeCells>" + parts["merged"] + "</mergeCells>"
	}
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for name, content := range map[string]string{
		"_rels/.rels":     `<Relationships><Relationship Id="b" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns:r="` + relations + `"><sheets><sheet name="One" sheetId="1" r:id="s"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="s" Type="` + relations + `/worksheet" Target="one.xml"/>` +
			`<Relationship Id="t" Type="` + relations + `/sharedStrings" Target="texts.xml"/><Relationship Id="f" Type="` + relations + `/styles" Target="styles.xml"/></Relationships>`,
		"xl/texts.xml":  "<sst>" + parts["texts"] + "</sst>",
		"xl/styles.xml": "<styleSheet><cellXfs>" + parts["formats"] + "</cellXfs></styleSheet>",
		"xl/one.xml":    "<worksheet><sheetData>" + parts["sheet"] + "</sheetData>" + merged + "</worksheet>",
	} {
		part, err := archive.Create(name)
		require.NoError(t, err)
		_, err = part.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return file.Bytes()
}
