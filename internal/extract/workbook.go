package extract

import (
	"bytes"
	"errors"
	"io"
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

const (
	// headBytes of a file are looked at to check its type.
	headBytes = 4096
	// window is how much is read at a time of a ZIP whose beginning does not say what
	// it is.
	window = 64 << 10
	// longestName is not shorter than any of the names.
	longestName = 16
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
