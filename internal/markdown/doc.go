// Package markdown reads canonical markdown as a flat list of blocks and prose
// as sentences. It is what chunks and rules are taken from.
//
// It knows headings, paragraphs, items of lists, rows of tables and code, and
// no more: a block keeps its text as it is written, so that what is shown later
// stands in the file word for word, but that a page break parts nothing: what goes on
// behind it is one block. Page markers, comments of the form
// <!-- page 3 -->, belong to no block.
package markdown
