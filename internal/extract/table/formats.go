package table

import (
	"archive/zip"
	"encoding/xml"
	"strconv"
	"time"

	"github.com/redline-svc/redline/internal/extract"
)

const (
	// maxFormats is how many formats of cells a workbook may have, the bound that
	// Excel itself has.
	maxFormats = 65_490
	// maxCode is how long the code of a number format may be, by Excel too. What has a
	// longer one is shown without it.
	maxCode = 255
)

// formats are how the cells of a workbook are shown.
type formats struct {
	// codes are those of the workbook's own number formats by their numbers; numbers has
	// for each format of cells that of its number format.
	codes   map[int]string
	numbers []int
	// read has the number formats that were used so far.
	read map[int]*format
	days calendar
}

// readFormats reads the number formats. A workbook without any has no part.
func readFormats(part *zip.File, date1904 bool) (*formats, error) {
	f := &formats{codes: map[int]string{}, read: map[int]*format{}, days: calendar{date1904: date1904}}
	if part == nil {
		return f, nil
	}
	cells := false
	err := walk(part, func(name string, begin *xml.StartElement) error {
		switch {
		case name == "cellXfs":
			cells = begin != nil
		case begin == nil:
		case name == "numFmt":
			f.code(begin)
		case name == "xf" && cells:
			number, _ := strconv.Atoi(attribute(begin, "numFmtId")) // none is 0, the general format
			f.numbers = append(f.numbers, number)
		}
		if len(f.numbers) > maxFormats || len(f.codes) > maxFormats {
			return extract.Fail(extract.TooLarge, "The workbook has more than 65,490 formats of cells.")
		}
		return nil
	})
	return f, err
}

func (f *formats) code(begin *xml.StartElement) {
	number, err := strconv.Atoi(attribute(begin, "numFmtId"))
	code := attribute(begin, "formatCode")
	if _, known := f.codes[number]; err == nil && !known && len(code) <= maxCode {
		f.codes[number] = code
	}
}

// of returns the number format of the cells of that format.
func (f *formats) of(cells int) *format {
	number := 0
	if cells >= 0 && cells < len(f.numbers) {
		number = f.numbers[cells]
	}
	if f.read[number] == nil {
		code, own := f.codes[number]
		if !own {
			code = builtIn[number]
		}
		f.read[number] = parse(code)
	}
	return f.read[number]
}

// number returns how cells of that format show a number that is written so. What is no
// number is shown as it is.
func (f *formats) number(cells int, written string) string {
	value, err := strconv.ParseFloat(written, 64)
	if err != nil {
		return written
	}
	return f.of(cells).show(number{written: written, value: value}, f.days)
}

// text returns how cells of that format show a text.
func (f *formats) text(cells int, text string) string { return f.of(cells).text(text) }

// day returns how cells of that format show a moment that is written in ISO 8601.
func (f *formats) day(cells int, written string) string {
	for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", time.DateOnly} {
		moment, err := time.Parse(layout, written)
		if err != nil {
			continue
		}
		value := f.days.serial(moment)
		if shown := f.of(cells); shown.chosen(value).kind == dateKind {
			return shown.show(number{value: value}, f.days)
		}
	}
	return written
}

// builtIn are the codes of the number formats that no workbook has to name, by ECMA-376,
// part 1, 18.8.30. What is missing is the general format.
var builtIn = codes(map[string][]int{
	"0": {1, 59}, "0.00": {2, 60}, "#,##0": {3, 61}, "#,##0.00": {4, 62},
	`"$"#,##0_);\("$"#,##0\)`: {5, 6}, `"$"#,##0.00_);\("$"#,##0.00\)`: {7, 8},
	"0%": {9, 67}, "0.00%": {10, 68}, "0.00E+00": {11}, "# ?/?": {12, 69}, "# ??/??": {13, 70},
	"yyyy-mm-dd":        {14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58, 71, 72, 73, 74},
	"hh:mm:ss":          {18, 19, 20, 21, 32, 33, 75, 76},
	"yyyy-mm-dd hh:mm":  {22, 34, 35, 55, 56, 77},
	`#,##0_);\(#,##0\)`: {37, 38}, `#,##0.00_);\(#,##0.00\)`: {39, 40},
	`_(* #,##0_);_(* \(#,##0\);_(* "-"_);_(@_)`:                  {41},
	`_("$"* #,##0_);_("$"* \(#,##0\);_("$"* "-"_);_(@_)`:         {42},
	`_(* #,##0.00_);_(* \(#,##0.00\);_(* "-"??_);_(@_)`:          {43},
	`_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)`: {44},
	"mm:ss": {45, 78}, "[h]:mm:ss": {46, 79}, "mm:ss.0": {47, 80}, "##0.0E+0": {48}, "@": {49},
})

func codes(numbers map[string][]int) map[int]string {
	byNumber := map[int]string{}
	for code, all := range numbers {
		for _, number := range all {
			byNumber[number] = code
		}
	}
	return byNumber
}
