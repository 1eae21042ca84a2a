// Package change is what one transaction changed in the annotations of a document, and what
// follows from that: the same whichever operation made the change.
//
// The package annotation holds the rows and says in a Change what each annotation was and is
// (change.go, thread.go, acts.go; stored.go reads what is stored). Then StoreEffects stores
// in that transaction what follows: events (events.go), notifications and mails
// (notices.go, mails.go) to those who may see it (audience.go), activities (activities.go)
// and judgments (judgments.go). Rows of others are written by functions of their owners:
// notification, mail, delivery, activity and judgment.
//
// Of comments it notes which have got judgments; else it writes no table of its own, and
// locks nothing but the annotations that it reads for a change. It must not know requests
// or decide what may be changed.
package change
