package template

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
)

// Form says how values are escaped.
type Form int

// The forms of a text: as it is, HTML, or a JSON document in whose texts values stand.
const (
	Text Form = iota
	HTML
	JSON
)

// MaxFilled is how large a filled text may be, in bytes: 256 KiB.
const MaxFilled = 256 << 10

// Roots are what paths begin with, each a JSON text.
type Roots map[string]json.RawMessage

// hole is a path between double braces, singleHole one between single braces.
var (
	hole       = regexp.MustCompile(`\{\{\s*([^{}\s]+)\s*\}\}`)
	singleHole = regexp.MustCompile(`\{\s*([^{}\s]+)\s*\}`)
)

// Fill fills a template. It reports false when the result is larger than MaxFilled; the
// text is then of no use.
func Fill(template string, roots Roots, form Form) (string, bool) {
	return fill(hole, template, roots, form)
}

// FillSingle is Fill of a template whose paths stand between single braces.
func FillSingle(template string, roots Roots, form Form) (string, bool) {
	return fill(singleHole, template, roots, form)
}

func fill(hole *regexp.Regexp, template string, roots Roots, form Form) (string, bool) {
	var out strings.Builder
	from, end := valuesOf(roots), 0
	for _, at := range hole.FindAllStringSubmatchIndex(template, -1) {
		out.WriteString(template[end:at[0]])
		out.WriteString(form.escaped(from.at(template[at[2]:at[3]])))
		if end = at[1]; out.Len() > MaxFilled {
			return "", false
		}
	}
	out.WriteString(template[end:])
	return out.String(), out.Len() <= MaxFilled
}

func (f Form) escaped(value string) string {
	switch f {
	case HTML:
		return html.EscapeString(value)
	case JSON:
		quoted, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(quoted[1 : len(quoted)-1])
	default:
		return value
	}
}
