// Package judgment records acts of review: a reviewer's decision on a step, a
// comment of a person, a finding of an agent. A judgment is a copy, in words, of
// what was decided about what; it stays as it was when the things change.
//
// Step.Queue and Document.QueueActs queue inserts on the batch of the transaction that makes the
// acts, QueueEdits what edits of comments change; ForgetUsers hides those of users who
// leave an organization (visibility.go).
// Judgments stores what callers record of acts elsewhere, deletes, and reads in pages.
// SQL is by hand: the writes have no trip of their own, and a page comes with its count
// in one trip.
//
// A judgment is about subjects (models/subject), by their keys, so it goes along with a
// document that gets another id. What is about a removed one is hidden from every read
// at once, and RemoveBatch removes it; what is stored after that goes when it would be
// brought into the index (ReadPending).
//
// Whoever makes, changes or removes a judgment queues it in the same transaction (queued.go): to be
// brought into the index, or, a minute later, to be removed from it. What the index has
// is in judgment_index: a row for each judgment, with the revision that a change counts up, and
// whether the index has all of that revision; it goes when the index has nothing of a judgment
// that was removed. Whoever has brought one in, or removes a judgment, queues the workspace in the same
// transaction: its patterns are to be looked for (models/pattern).
//
// A search asks the index for the nearest judgments of a filter.
//
// Tables: judgments, judgment_index, judgment_vectors.
//
// It must not read the things that are judged: whoever makes a judgment passes
// what it says. Names of organizations, documents and people are the exception.
package judgment
