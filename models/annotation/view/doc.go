// Package view reads annotations of documents and their comments as callers see them.
//
// Get reads annotations of a document with their threads (annotations.go), Find those of
// many documents with all that is known of them (find.go, whole.go): in which documents it
// looks (find_documents.go) and how it walks their indexes (find_walk.go). Comments reads a
// page of one thread, for the newer interface with all that is known of the comments
// (comments.go), Count how many annotations of documents a user sees
// and has not read (count.go). An answer ends early where it is large as it is written
// (measure.go). Statements are SQL by hand over one snapshot: a list has the conditions
// in use only, and walks an index, so a page costs the same anywhere.
//
// Tables: none of its own; annotations, comments, mentions and both kinds of read marks of the package
// annotation are read without a lock.
//
// It decides who sees an annotation only by the rules of the packages annotation and
// directory. It must not write, nor know what changes an annotation.
package view
