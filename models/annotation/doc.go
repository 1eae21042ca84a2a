// Package annotation holds the annotations of documents with their threads of
// comments, and stores what follows from a change of them.
//
// Its tables are annotations, comments, annotation_mentions, read_marks,
// document_read_marks and deleted_annotations, which keeps who could see what activities
// are still about. Organizations, documents, people and grants are directory's: they are
// written by functions of that package in the same transaction.
//
// An operation (add.go, add_comments.go, edit.go, update.go, delete.go) opens the container
// (directory), locks the annotations that the call means (selection.go for several,
// stored.go for one with its thread), writes its own rows and fills a change (change.go,
// thread.go, acts.go): what each annotation was and is, which of its comments changed, what
// happened to them and by whom. From that alone storeEffects stores in the same transaction
// what follows, so that every operation on annotations and comments has the same effects:
// notifications and mails (notices.go, mails.go) to those who may see the annotation
// (viewers.go), events (events.go, in the form of event_data.go), activities
// (activities.go) and judgments (judgments.go). Rows of others are written by functions of
// their owners: notification, mail, delivery, activity and judgment.
//
// What users have read is marked by itself (marks.go): nobody waits for that who changes
// an annotation, and a comment is read only if it was committed before.
//
// Statements are SQL by hand: what an addition writes for each comment is one statement for a table, or one
// for each portion of many (pg.Portions), and what it reads of others' tables comes with a join or
// with the time in one trip. Other writes are queued on batches. What callers read is read by the package view.
//
// Locks are taken in this order: the organization, its folders, the document, then
// new annotations in the order of their ids and stored ones in that of their keys, then what
// the effects touch, judgments last. Whoever changes an annotation or its comments locks the
// annotation, so changes of one follow one another.
//
// The package decides who sees an annotation only by directory's rules, sends
// nothing itself, and knows neither requests nor Temporal.
package annotation
