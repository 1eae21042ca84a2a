package table

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"net/url"
	"path"
	"strings"

	"github.com/redline-svc/redline/internal/extract"
)

const (
	// maxEntries is how many files a workbook may consist of.
	maxEntries = 20_000
	// maxSheets is how many sheets it may have. Programs that write workbooks set no
	// bound but memory; nobody turns over so many.
	maxSheets = 2_000
)

// book are the parts of a workbook that have cells.
type book struct {
	sheets          []sheet
	styles, strings *zip.File
	date1904        bool
}

// sheet is one in the order of the workbook.
type sheet struct {
	name string
	// part has its rows; nil where it is a chart.
	part *zip.File
	survey
}

// folder are the files of a ZIP by their names in lower case, which may have been
// written with either slash.
type folder map[string]*zip.File

// part returns the file of that name, which may be written with the escapes of an address.
func (f folder) part(name string) *zip.File {
	name = strings.ToLower(name)
	if part := f[name]; part != nil {
		return part
	}
	plain, err := url.PathUnescape(name)
	if err != nil {
		return nil
	}
	return f[plain]
}

func corrupt(message string) error { return extract.Fail(extract.Corrupt, message) }

func malformed(err error, message string) error {
	if errors.Is(err, errMalformed) {
		return corrupt(message)
	}
	return err
}

// unzip reads the list of files. What they have together is held by their lengths as
// the list returns them: reading one ends with an error where it has more.
func unzip(file []byte) (folder, error) {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, corrupt("The file cannot be read as a workbook; it is damaged or incomplete.")
	}
	if len(archive.File) > maxEntries {
		return nil, extract.Fail(extract.TooLarge, "The workbook consists of more than 20,000 files.")
	}
	files, unpacked := make(folder, len(archive.File)), uint64(0)
	for _, f := range archive.File {
		unpacked += f.UncompressedSize64
		if f.UncompressedSize64 > extract.MaxUnpacked || unpacked > extract.MaxUnpacked {
			return nil, extract.Fail(extract.TooLarge, "The workbook has more than 300 MiB when it is unpacked.")
		}
		files[strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/"))] = f
	}
	return files, nil
}

// relation is where a part finds another one.
type relation struct{ id, kind, target string }

// relations reads those of a part; a part may have none. Targets are names of files.
func (f folder) relations(of string) ([]relation, error) {
	dir, name := path.Split(of)
	part := f.part(dir + "_rels/" + name + ".rels")
	if part == nil {
		return nil, nil
	}
	var all []relation
	err := walk(part, func(name string, begin *xml.StartElement) error {
		if name != "Relationship" || begin == nil || len(all) > maxEntries {
			return nil
		}
		target := strings.ReplaceAll(attribute(begin, "Target"), `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join("/", dir, target)
		}
		all = append(all, relation{
			id: attribute(begin, "Id"), kind: path.Base(attribute(begin, "Type")), target: strings.TrimPrefix(path.Clean(target), "/"),
		})
		return nil
	})
	return all, malformed(err, "The list of the workbook's parts is damaged.")
}

// openBook finds the parts of a workbook.
func openBook(files folder) (*book, error) {
	main, err := files.mainPart()
	if err != nil {
		return nil, err
	}
	relations, err := files.relations(main)
	if err != nil {
		return nil, err
	}
	b := &book{}
	byID := map[string]relation{}
	for _, r := range relations {
		byID[r.id] = r
		switch r.kind {
		case "styles":
			b.styles = files.part(r.target)
		case "sharedStrings":
			b.strings = files.part(r.target)
		}
	}
	err = walk(files.part(main), func(name string, begin *xml.StartElement) error {
		switch {
		case begin == nil:
		case name == "workbookPr":
			date1904 := attribute(begin, "date1904")
			b.date1904 = date1904 == "1" || date1904 == "true"
		case name == "sheet":
			return b.add(files, attribute(begin, "name"), byID[attribute(begin, "id")])
		}
		return nil
	})
	return b, malformed(err, "The list of the workbook's sheets is damaged.")
}

// mainPart returns the name of the part that lists the sheets.
func (f folder) mainPart() (string, error) {
	relations, err := f.relations("")
	if err != nil {
		return "", err
	}
	for _, r := range relations {
		if r.kind == "officeDocument" {
			if strings.HasSuffix(strings.ToLower(r.target), ".bin") {
				return "", extract.Fail(extract.UnsupportedFormat, "The workbook is a binary one; save it as XLSX.")
			}
			if f.part(r.target) != nil {
				return r.target, nil
			}
		}
	}
	return "", corrupt("The file has no list of sheets; it is no workbook or incomplete.")
}

func (b *book) add(files folder, name string, at relation) error {
	if len(b.sheets) == maxSheets {
		return extract.Fail(extract.TooLarge, "The workbook has more than 2,000 sheets.")
	}
	s := sheet{name: clean(name)}
	if at.kind == "worksheet" || at.kind == "" {
		if s.part = files.part(at.target); s.part == nil {
			return corrupt("The sheet " + s.name + " is missing in the file.")
		}
	}
	b.sheets = append(b.sheets, s)
	return nil
}
