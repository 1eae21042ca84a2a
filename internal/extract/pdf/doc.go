// Package pdf turns PDF files into canonical markdown with PDFium, which runs
// as WebAssembly inside the process: without cgo and without access to files. Layout
// and reading take time in proportion to the file, but what PDFium does with a hostile
// file is not bounded: who reads such files does so in the package confined.
//
// A Converter starts PDFium. Compiling it takes seconds, so the compiled code is kept in
// a folder and found there the next time. Each conversion has a fresh instance.
//
// PDFium gives the text of a page line by line in reading order. Of each line
// the size and weight of its type and its position are read (page.go), and from these
// come headings, paragraphs and list items (layout.go, marks.go, divide.go and
// initial.go, which are pure functions). A page on which text stands sideways is turned,
// once for each direction of text (turn.go). Lines that have letters from right to left
// are read by where those stand (direction.go), and the letters of Arabic ligatures come
// into their order (ligature.go). The values of form fields, which PDFium does not count
// as text, come behind their labels (fields.go). A page that cannot be read that way
// gives its plain text.
package pdf
