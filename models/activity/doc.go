// Package activity keeps what was done, for those who want it kept: the activities of an
// organization. They are added by callers (add.go) and, in its own transaction, by whoever
// changes an annotation (record.go), with a sentence for each action (sentences.go). What callers
// added they may change (update.go) and delete (delete.go), unless it is immutable, as what
// follows from a change of an annotation is. All go with their document or organization
// (removal.go).
//
// Lists (list.go, query.go) walk an index in their order. Each way to find records has one: by
// organization, document, what they are about and who acted. What a caller names is looked
// up by its hash, so that no row of an index has two ids of callers.
//
// A record about an annotation holds the annotation's key. A read for a user leaves out what is about an
// annotation that they may not see now, or could not see when it was deleted: the
// package annotation keeps that (deleted_annotations). What an added record says it is
// about is looked up when it is added, with the annotation held, so that whoever deletes
// it afterwards knows of the record.
//
// What a workspace has set for its activities (settings.go) is read by whoever writes some.
//
// Tables: activities, activity_settings. Locks: the organization, the document, annotations in the order of
// their keys, then records in that of their ids.
//
// The package must not decide who sees what but by the rules of directory, and knows
// neither requests nor what changes an annotation.
package activity
