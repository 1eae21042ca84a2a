// Package annotation holds annotations of documents, the comments under them, and
// what they cause: notifications, activities, marks of what was read. What an
// added comment causes elsewhere (events, mails, judgments, members) is made in
// its transaction, by functions of the packages that own those.
//
// Reads page through the annotations that a user may see; times that are sent by
// callers are kept in milliseconds, as they were sent.
//
// Tables: annotations, comments, read_marks, notifications,
// notification_recipients, activities.
//
// Locks, in this order: the organization's row (directory.LockStay; LockPeople
// where authors become members), the document's row, annotations by id, then what
// packages delivery and mail lock. Annotations are inserted in the order of their
// ids, so that two calls with the same ids wait for one another and not each for
// the other.
//
// It must not send anything, nor decide who may see a document: that is package
// directory's.
package annotation
