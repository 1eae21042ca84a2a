package table

import (
	"bytes"
	"slices"

	"github.com/richardlehane/mscfb"

	"github.com/redline-svc/redline/internal/extract"
)

// oleMark begins a container of the older kind. Old workbooks are such files, and so
// are new ones that are encrypted.
var oleMark = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

// oleFault returns why a container cannot be taken in.
func oleFault(file []byte) error {
	container, err := mscfb.New(bytes.NewReader(file))
	if err != nil {
		return corrupt("The file cannot be read as a workbook; it is damaged or incomplete.")
	}
	var names []string
	for _, entry := range container.File {
		names = append(names, entry.Name)
	}
	switch {
	case slices.Contains(names, "EncryptedPackage"):
		return extract.Fail(extract.Encrypted, "The workbook needs a password to be opened.")
	case slices.Contains(names, "Workbook"), slices.Contains(names, "Book"):
		return extract.Fail(extract.UnsupportedFormat, "The workbook is of an old binary kind; save it as XLSX.")
	default:
		return corrupt("The file has no workbook in it; it is damaged or of another kind.")
	}
}
