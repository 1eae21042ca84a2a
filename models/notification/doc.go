// Package notification holds what people were told of comments, and what they want to be
// told of.
//
// A change of annotations stores its notifications on its own transaction (Queue in
// queue.go), for those whom the preferences of users allow it (preference.go), and takes
// them back with the comment (removal.go). One change may notify many of each of many
// comments: whom its transaction does not, a job does, a portion at a time (rest.go). Callers list them (list.go), mark them as read
// (mark.go) and delete them (delete.go), some at a time but for those that they name. What a notification says and who may see it is
// read again every time; ids rise with time, so lists are in their order.
//
// What a workspace has set for its notifications is in settings.go.
//
// Tables: notifications, notification_recipients, notification_preferences, notification_portions, notification_settings. Annotations,
// comments, documents and read marks are read without a lock. Statements are SQL by hand:
// lists walk an index, and several rows are held in one order.
//
// Locks, in this order: the organization, the document, notifications in the order of their
// ids, recipients in that of their keys. Who removes a notification holds it first; who
// marks one as read holds it against being removed, or passes over what somebody else holds.
//
// It decides who sees an annotation only by the rules of directory. It must not know what
// changes an annotation, nor send anything: mails are stored by their own package.
package notification
