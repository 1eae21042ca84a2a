// Package pattern keeps what reviewers usually decide, as internal/pattern finds it among
// the judgments of a workspace, and the duty to look for it.
//
// Whoever has brought judgments into the index, or has removed their rows, queues the
// workspace in the same transaction (Changed, Removed): one row of the queue says when its
// patterns are looked for at the latest, another one is a timer that each change moves, and
// that ends when its judgments have rested. The acts that make judgments do not, since all those
// of a workspace would wait for these rows. Workspaces that were looked through by vectors of
// another model than the one that serves are found and queued (QueueTurned). Begin turns
// a workspace whose time has come into a job, of which it has one open at a time.
//
// The job lists what there is to look through (Next): each organization and the workspace as
// a whole, with each content type and with all of them, unless their judgments, and the model
// of the vectors, are those of the last time; so many of them as one job may take, the rest is for
// the next one. One after the other is read (Members), looked
// through elsewhere, and stored (Keep): in one transaction that takes it off the list, so that
// of two that worked on it one stores.
//
// A pattern that is found again keeps its id; what is not found again is deleted. So is
// what rested on judgments that are gone, once its scope is looked through, which waits for
// no index: while that is away a pattern keeps its category (Category), and its scope is
// looked through again. Those of an organization that is removed are hidden at once.
//
// What stands out in a scope (alert.go) is kept with it. When a job is through with all scopes the alerts of the workspace are
// brought up to that: what still stands out is renewed, what does not has ended, and the gravest of what is new is raised.
//
// SQL is by hand: what is stored is decided by what was read.
//
// Tables: patterns, pattern_runs, pattern_scopes, alerts, alert_settings.
//
// It must not find patterns, nor know how judgments come into the index.
package pattern
