package table

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"github.com/redline-svc/redline/internal/extract"
)

// errMalformed is a part whose XML cannot be read to its end.
var errMalformed = errors.New("table: malformed XML")

// visitor is shown what a part has. Names have no prefix.
type visitor struct {
	// element is called where one begins, and with nil where it ends.
	element func(name string, begin *xml.StartElement) error
	// text is called with what stands between; nil where nobody reads it.
	text func(text []byte)
}

// walk reads the XML of a part to its end and shows each element that begins or ends.
func walk(part *zip.File, see func(name string, begin *xml.StartElement) error) error {
	return visit(part, visitor{element: see})
}

// visit reads the XML of a part to its end. Entities of the part's own are unknown, so
// they end the visit.
func visit(part *zip.File, v visitor) error {
	file, err := part.Open()
	if err != nil {
		return errMalformed
	}
	defer func() { _ = file.Close() }()
	read := &bounded{from: file}
	decoder := newDecoder(read)
	for depth := 0; ; {
		read.since = 0
		token, err := decoder.RawToken()
		switch {
		case errors.Is(err, io.EOF) && depth == 0:
			return nil
		case read.since > maxToken:
			return tooMuchText()
		case err != nil:
			return errMalformed
		}
		switch element := token.(type) {
		case xml.StartElement:
			depth++
			err = v.element(element.Name.Local, &element)
		case xml.EndElement:
			depth--
			err = v.element(element.Name.Local, nil)
		case xml.CharData:
			if v.text != nil {
				v.text(element)
			}
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

// maxToken is how much of a file is read for one element or one text: more than any text
// takes that may be in the markdown, each of its characters written as an entity.
const maxToken = 4 * extract.MaxText

// bounded ends a file within which one element or text has no end: all of it would be kept.
type bounded struct {
	from  io.Reader
	since int // bytes since the last element or text
}

// Read reads on, while that is not too much.
func (b *bounded) Read(p []byte) (int, error) {
	if b.since > maxToken {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.from.Read(p)
	b.since += n
	return n, err
}

// newDecoder reads XML in any encoding. UTF-16 is found by its first bytes, a mark or
// a < with its zero, as the declaration within cannot be read before; what is turned into UTF-8
// then is not turned again, whatever the declaration says.
func newDecoder(file io.Reader) *xml.Decoder {
	buffered := bufio.NewReader(file)
	order, wide := wideOrder(buffered)
	if !wide {
		decoder := xml.NewDecoder(buffered)
		decoder.CharsetReader = charset.NewReaderLabel
		return decoder
	}
	decoder := xml.NewDecoder(unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(buffered))
	decoder.CharsetReader = func(_ string, read io.Reader) (io.Reader, error) { return read, nil }
	return decoder
}

func wideOrder(file *bufio.Reader) (order unicode.Endianness, wide bool) {
	first, _ := file.Peek(2) // fewer bytes are no XML
	switch string(first) {
	case "\xff\xfe", "<\x00":
		return unicode.LittleEndian, true
	case "\xfe\xff", "\x00<":
		return unicode.BigEndian, true
	default:
		return order, false
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
