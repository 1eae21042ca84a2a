package table

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Names that parts of a workbook have for those who read it.
const (
	namespace    = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationKind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	relationSpan = "http://schemas.openxmlformats.org/package/2006/relationships"
)

// pack writes a workbook that has the sheets and nothing else to a file in dir: in it
// neither the names of parts nor parts that have no cells can do harm. The sheet of
// index i is named by sheetName(i).
func (b *book) pack(dir string, f *formats) (name string, err error) {
	file, err := os.Create(filepath.Join(dir, "workbook.xlsx"))
	if err != nil {
		return "", err
	}
	archive := zip.NewWriter(file)
	err = b.packInto(archive, f)
	if closed := archive.Close(); err == nil {
		err = closed
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return file.Name(), err
}

func sheetName(i int) string { return fmt.Sprintf("s%d", i+1) }

func (b *book) packInto(archive *zip.Writer, f *formats) error {
	var sheets, relations strings.Builder
	relate := func(id, kind, target string) {
		fmt.Fprintf(&relations, `<Relationship Id="%s" Type="%s%s" Target="%s"/>`, id, relationKind, kind, target)
	}
	for i, s := range b.sheets {
		if s.part == nil {
			continue
		}
		id := sheetName(i)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="%s"/>`, id, i+1, id)
		relate(id, "worksheet", fmt.Sprintf("worksheets/sheet%d.xml", i+1))
		if err := copyPart(archive, s.part, fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)); err != nil {
			return err
		}
	}
	relate("styles", "styles", "styles.xml")
	if b.strings != nil {
		relate("strings", "sharedStrings", "sharedStrings.xml")
		if err := copyPart(archive, b.strings, "xl/sharedStrings.xml"); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"_rels/.rels": `<Relationships xmlns="` + relationSpan + `"><Relationship Id="book" Type="` + relationKind +
			`officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": fmt.Sprintf(`<workbook xmlns="%s" xmlns:r="%s"><workbookPr date1904="%t"/><sheets>%s</sheets></workbook>`,
			namespace, strings.TrimSuffix(relationKind, "/"), b.date1904, sheets.String()),
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="` + relationSpan + `">` + relations.String() + `</Relationships>`,
		"xl/styles.xml":              f.styles(),
	} {
		to, err := archive.Create(name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, text); err != nil {
			return err
		}
	}
	return nil
}

// copyPart copies a part as it is, packed.
func copyPart(archive *zip.Writer, part *zip.File, name string) error {
	from, err := part.OpenRaw()
	if err != nil {
		return corrupt("A part of the workbook cannot be read.")
	}
	header := part.FileHeader
	header.Name, header.Extra = name, nil
	to, err := archive.CreateRaw(&header)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return err
}
