// Package extract turns the bytes of a file into canonical markdown: UTF-8,
// lines ended by \n, Unicode in form NFC, with markdown headings, lists and
// tables.
//
// Check looks whether bytes can be of the type that they are said to be; Text
// converts plain text. PDF is in the package pdf below, so that a process that
// only accepts files does not carry PDFium. A Failure is a fault of the file
// itself and names its reason; other errors are faults of the conversion and
// may pass.
//
// The package must not know where bytes come from or where text goes.
package extract
