// Package table turns CSV files and workbooks into canonical markdown: headings
// for sheets, and tables with a header row, in which each row of the file is a
// line.
//
// CSV finds out encoding and delimiter. Workbook reads the parts of the file that
// have cells and nothing else: it surveys their XML (survey.go), packs them anew
// (pack.go), and lets excelize read them row by row. Excelize gives cells as they
// are displayed; for dates its formats are replaced by those of ISO 8601 (formats.go).
//
// Both keep what they read within bounds and fail with the reason of the file. They
// do not bound memory and time exactly: who reads untrusted files does so in the
// package confined.
package table
