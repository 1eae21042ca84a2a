package table

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// errMalformed is a part whose XML cannot be read to its end.
var errMalformed = errors.New("table: malformed XML")

// walk reads the XML of a part to its end and shows each element that begins or ends.
// Names have no prefix. Entities of the part's own are unknown, so they end the walk.
func walk(part *zip.File, see func(name string, begin *xml.StartElement) error) error {
	file, err := part.Open()
	if err != nil {
		return errMalformed
	}
	defer func() { _ = file.Close() }()
	decoder := xml.NewDecoder(file)
	decoder.CharsetReader = charset.NewReaderLabel
	for depth := 0; ; {
		token, err := decoder.RawToken()
		switch {
		case errors.Is(err, io.EOF) && depth == 0:
			return nil
		case err != nil:
			return errMalformed
		}
		switch element := token.(type) {
		case xml.StartElement:
			depth++
			err = see(element.Name.Local, &element)
		case xml.EndElement:
			depth--
			err = see(element.Name.Local, nil)
		case xml.Directive:
			if strings.HasPrefix(string(element), "DOCTYPE") {
				return errMalformed
			}
		}
		if err != nil {
			return err
		}
	}
}

// attribute returns the value of an element's attribute, empty where it has none.
func attribute(element *xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
