// Package chunk cuts canonical markdown into the pieces that are embedded and
// found. It is a pure function: the same text gives the same chunks, whatever
// the model, because length is counted in tokens of its own.
//
// Blocks of a section are packed in order to about 240 tokens and never above
// 300. No chunk crosses a heading of level 1 or 2; a deeper section of few words
// joins the next one of the same parent. Rows of a table carry its header,
// prose repeats the last sentences of the chunk before it. Every word outside of
// headings stands in a chunk, every heading in the path of one; a heading that is
// too long for paths is a block of its section as well.
//
// What tokens do not bound is bounded in bytes, and what is repeated in many chunks
// in all: the chunks of a text have at most 16 times its bytes.
package chunk
