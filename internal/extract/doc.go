// Package extract turns the bytes of a file into canonical markdown: UTF-8,
// lines ended by \n, Unicode in form NFC, with markdown headings, lists and
// tables.
//
// Check and CheckFile look whether bytes can be of the type that they are said to
// be; Text converts plain text. The other converters are in packages below: PDF in pdf,
// CSV and workbooks in table. The package confined runs them in a process of its own for
// each file, so that neither what only accepts files nor the worker carries them. A Failure
// is a fault of the file itself and names its reason; other errors are faults of the
// conversion and may pass.
//
// The package must not know where bytes come from or where text goes.
package extract
