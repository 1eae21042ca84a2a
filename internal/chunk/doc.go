// Package chunk cuts canonical markdown into the pieces that are embedded and
// found. It is a pure function: the same text gives the same chunks, whatever
// the model, because length is counted in tokens of its own.
//
// The blocks of a section are divided into chunks of about 240 tokens, never above
// 300: the section at the boundary whose hash ranks lowest, and so each part of it,
// until the parts are small enough. So a change somewhere leaves the chunks farther
// away as they were, and what stays the same is not embedded again. No chunk crosses
// a heading of level 1 or 2; a deeper section of few words joins the next one of the
// same parent. Rows of a table carry its header, prose repeats the last sentences of
// the chunk before it. Every word outside of headings stands in a chunk, every
// heading in the path of one; a heading that is too long for paths is a block of its
// section as well.
//
// What tokens do not bound is bounded in bytes, and what is repeated in many chunks
// in all: the chunks of a text have at most 16 times its bytes.
package chunk
