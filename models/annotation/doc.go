// Package annotation holds the annotations of documents with their threads of
// comments, and stores what follows from a change of them.
//
// Its tables are annotations, comments, annotation_mentions, read_marks,
// document_read_marks and deleted_annotations, which keeps who could see what activities
// are still about. Organizations, documents, people and grants are directory's: they are
// written by functions of that package in the same transaction.
//
// An operation (add.go, add_comments.go, edit.go, update.go, delete.go) opens the container (directory),
// writes its own rows and fills a change (the package change): which comments of which
// annotations changed, what happened to them and by whom. From that alone follow events,
// notifications, mails, activities and judgments, so that every operation on annotations
// and comments has the same ones.
//
// Calls about several annotations find and hold them by selection; the form in which events
// show them is in shown.
//
// What users have read is marked by itself (marks.go): nobody waits for that who changes
// an annotation, and a comment is read only if it was committed before.
//
// Statements are SQL by hand: writes are queued on batches or write all rows of a
// change at once, and what an addition reads of others' tables comes with a join or
// with the time in one trip. What callers read is read by the package view.
//
// Locks are taken in this order: the organization, its folders, the document, then
// new annotations in the order of their ids and stored ones in that of their keys, then what the effects touch, judgments last.
// Whoever changes an annotation or its comments holds the annotation, so changes of one
// follow one another.
//
// The package decides who sees an annotation only by directory's rules, sends
// nothing itself, and knows neither requests nor the engine.
package annotation
