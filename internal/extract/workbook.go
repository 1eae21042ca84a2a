package extract

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"regexp"
	"slices"
)

// zipMark begins a ZIP, oleMark a container of the kind that old and encrypted
// workbooks are.
var (
	zipMark = []byte("PK\x03\x04")
	oleMark = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
)

// workbookNames are in the name of the part of a ZIP that lists the sheets of a
// workbook. Names are not compressed, and stand before each file and at the end.
var workbookNames = [][]byte{[]byte("xl/workbook"), []byte(`xl\workbook`), []byte("workbook.xml")}

func namesWorkbook(bytesOf []byte) bool {
	return slices.ContainsFunc(workbookNames, func(name []byte) bool { return bytes.Contains(bytesOf, name) })
}

// isWorkbook reports whether a whole ZIP is a workbook.
func isWorkbook(file []byte) bool {
	at := typesAt(file)
	return namesWorkbook(file) || at >= 0 && typesListSheets(file, at, bytes.NewReader(nil))
}

// typesName is that of the part that says of what type all others are, by ECMA-376, part 2.
// It tells a workbook whose list of sheets has another name by the type of that.
var (
	typesName = []byte("[Content_Types].xml")
	listType  = regexp.MustCompile(`(spreadsheetml|ms-excel)\.[A-Za-z.]*main\+xml`)
)

const (
	// fileHeader is how long what stands before a file's name in a ZIP is; at method it says
	// how the file is packed, at extra how much stands between name and file.
	fileHeader, method, extra = 30, 8, 28
	// maxTypes is how much of the types is looked at.
	maxTypes = 1 << 20
)

// typesAt returns where the name of the types stands before them, or less than 0.
func typesAt(read []byte) int {
	at := bytes.Index(read, typesName)
	if at < fileHeader || !bytes.HasPrefix(read[at-fileHeader:], zipMark) {
		return -1
	}
	return at
}

// typesListSheets reports whether the types, whose name stands at a place of what was read,
// have that of a list of sheets.
func typesListSheets(read []byte, at int, rest io.Reader) bool {
	header := read[at-fileHeader:]
	content := io.MultiReader(bytes.NewReader(read[at+len(typesName):]), rest)
	if _, err := io.CopyN(io.Discard, content, int64(binary.LittleEndian.Uint16(header[extra:]))); err != nil {
		return false
	}
	if binary.LittleEndian.Uint16(header[method:]) == zip.Deflate {
		content = flate.NewReader(content)
	}
	types, _ := io.ReadAll(io.LimitReader(content, maxTypes))      // as much as there is
	return listType.Match(bytes.ReplaceAll(types, []byte{0}, nil)) // in UTF-16 a zero stands beside each letter
}

const (
	// headBytes of a file are looked at to check its type.
	headBytes = 4096
	// window is how much is read at a time of a ZIP whose beginning does not say what
	// it is.
	window = 64 << 10
	// longestName is not shorter than any of the names, with what stands before it.
	longestName = 64
)

// CheckFile reports whether a file can be of the declared type. It reads no more of
// it than it needs and keeps little.
func CheckFile(mimeType string, file io.Reader) (bool, error) {
	read := make([]byte, headBytes, window)
	n, err := io.ReadFull(file, read)
	read = read[:n]
	if err != nil && !ended(err) {
		return false, err
	}
	if mimeType != TypeXLSX || !bytes.HasPrefix(read, zipMark) {
		return Check(mimeType, read), nil
	}
	for !namesWorkbook(read) {
		if at := typesAt(read); at >= 0 && typesListSheets(read, at, file) {
			return true, nil
		}
		if err != nil {
			return false, nil //nolint:nilerr // the file has ended
		}
		kept := copy(read, read[max(0, len(read)-longestName):])
		n, err = io.ReadFull(file, read[kept:window])
		read = read[:kept+n]
		if err != nil && !ended(err) {
			return false, err
		}
	}
	return true, nil
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
