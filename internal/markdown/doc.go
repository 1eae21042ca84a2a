// Package markdown reads canonical markdown as a flat list of blocks and prose
// as sentences. It is what chunks and rules are taken from.
//
// It knows headings, paragraphs, items of lists, rows of tables and code, and
// no more: a block keeps its text as it is written, so that what is shown later
// stands in the file word for word, but that a page break parts nothing: what goes on
// behind it is one block. Tables may lack the signs at the ends of their lines. YAML at the
// begin of a text is code. What begins an item is decided by the marks of all lines
// (marks.go): A. is one beside B., and else an initial. Page markers, comments of the form
// <!-- page 3 -->, belong to no block.
package markdown
