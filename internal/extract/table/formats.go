package table

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/xuri/nfp"

	"github.com/redline-svc/redline/internal/extract"
)

const (
	// maxFormats is how many formats of cells a workbook may have, the bound that
	// Excel itself has.
	maxFormats = 65_490
	// maxCode is how long the code of a number format may be, by Excel too. What has a
	// longer one is shown without it.
	maxCode = 255
	// firstOwn is the first number of a format that is not built in.
	firstOwn = 164
)

// formats are how the cells of a workbook are shown, by their number in it.
type formats struct {
	// codes are those of the workbook's own number formats; of each cell format
	// numbers has the one it uses.
	codes   map[int]string
	numbers []int
}

// readFormats reads the number formats. A workbook without any has no part.
func readFormats(part *zip.File) (*formats, error) {
	f := &formats{codes: map[int]string{}}
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

// styles returns the formats as a part of a workbook, each number format once and
// those of dates by their codes in ISO 8601.
func (f *formats) styles() string {
	var codes, cells strings.Builder
	written := map[string]int{}
	for _, number := range f.numbers {
		if code := f.shown(number); code != "" {
			if written[code] == 0 {
				written[code] = firstOwn + len(written)
				fmt.Fprintf(&codes, `<numFmt numFmtId="%d" formatCode="%s"/>`, written[code], escaped(code))
			}
			number = written[code]
		} else if number >= firstOwn {
			number = 0
		}
		fmt.Fprintf(&cells, `<xf numFmtId="%d"/>`, number)
	}
	if cells.Len() == 0 {
		cells.WriteString(`<xf numFmtId="0"/>`)
	}
	return `<styleSheet xmlns="` + namespace + `"><numFmts>` + codes.String() + `</numFmts><cellXfs>` + cells.String() + `</cellXfs></styleSheet>`
}

// shown is the code of the number format of that number, empty for a built-in one
// that is no date.
func (f *formats) shown(number int) string {
	code, own := f.codes[number]
	switch {
	case own:
		return readable(code)
	case number == 22 || builtInMoment[number]:
		return isoMoment
	case number >= 14 && number <= 17, number >= 27 && number <= 31, number == 36, number >= 50 && number <= 58:
		return isoDate
	case number >= 18 && number <= 21, number == 32, number == 33:
		return isoTime
	default:
		return ""
	}
}

// builtInMoment are built-in formats that are a date in some languages and a time in
// others.
var builtInMoment = map[int]bool{34: true, 35: true, 55: true, 56: true}

// Codes of ISO 8601.
const (
	isoDate   = `yyyy-mm-dd`
	isoTime   = `hh:mm:ss`
	isoMoment = `yyyy-mm-dd"T"hh:mm:ss`
)

// plain shows a number as it is.
const plain = "General"

// readable returns the code by which a number is shown whose own is that one. Dates and
// times have those of ISO 8601. Two kinds that excelize shows wrongly are replaced: it
// takes no notice of conditions, and puts the separators of a percentage too far right.
func readable(code string) string {
	parser := nfp.NumberFormatParser()
	sections := parser.Parse(code)
	for _, section := range sections {
		for _, token := range section.Items {
			if token.TType == nfp.TokenTypeCondition {
				return plain
			}
		}
	}
	switch {
	case len(sections) == 0:
		return code
	case strings.Contains(code, "%") && !strings.Contains(code, "."):
		return strings.ReplaceAll(code, ",", "")
	default:
		return isoCode(code, sections[0])
	}
}

// isoCode returns the code in ISO 8601 of a date or time. Durations, which count hours
// beyond 24 or have minutes as the greatest unit, and numbers keep their own.
func isoCode(code string, section nfp.Section) string {
	date, hours, minutes, counted := units(section)
	switch {
	case counted:
		return code
	case date && hours:
		return isoMoment
	case date:
		return isoDate
	case hours && minutes:
		return isoTime
	default:
		return code
	}
}

// units finds what a format shows of a moment; counted says that hours, minutes or
// seconds are counted beyond their usual bound.
func units(section nfp.Section) (date, hours, minutes, counted bool) {
	for _, token := range section.Items {
		value := strings.ToLower(token.TValue)
		switch {
		case token.TType == nfp.TokenTypeElapsedDateTimes:
			counted = true
		case token.TType != nfp.TokenTypeDateTimes || value == "":
		case strings.ContainsAny(value[:1], "ydegb"), strings.HasPrefix(value, "mmm"):
			date = true
		case value[0] == 'h':
			hours = true
		case value[0] == 'm' || value[0] == 's':
			minutes = true
		}
	}
	return date, hours, minutes, counted
}

func escaped(code string) string {
	var text strings.Builder
	_ = xml.EscapeText(&text, []byte(code)) // a builder takes everything
	return text.String()
}
