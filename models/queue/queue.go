package queue

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Kind is a kind of work; its handler is in the worker.
type Kind string

// Kinds of work.
const (
	// Executions are to have their runs started or signalled; their keys are the ids of executions.
	Executions Kind = "execution"
	// Overdue are executions of which a step has wanted its run for a while; their keys are the ids.
	Overdue Kind = "overdue"
	// Judgments are to be brought into the index; their keys are the workspace and the record id.
	Judgments Kind = "judgment"
	// RemovedJudgments are to be removed from the index; their keys are those of the judgments.
	RemovedJudgments Kind = "removed-judgment"
	// Jobs are to be given a run; their keys are the ids of the rows of jobs.
	Jobs Kind = "job"
	// Patterns of workspaces are to be looked for; their keys are the ids of the workspaces.
	Patterns Kind = "pattern"
	// Rested are workspaces whose judgments have not changed for a while, so their patterns are to
	// be looked for though their time has not come; their keys are the ids.
	Rested Kind = "rested"
	// Schedules are to be written into Temporal.
	Schedules Kind = "schedule"
	// Versions of sources are to be given a run.
	Versions Kind = "version"
)

// Rule is how rows of a kind are claimed.
type Rule struct {
	// PerGroup is how many rows of one group may be locked at once, over all processes.
	PerGroup int
	// Lock is after how long a claimed row may be claimed again.
	Lock time.Duration
	// Moves is set where a row that is put again is due at the time of the last Put, and not at
	// the earliest.
	Moves bool
}

// rules are those of all kinds.
var rules = map[Kind]Rule{
	Executions: {PerGroup: 64, Lock: 15 * time.Second},
	Overdue:    {PerGroup: 16, Lock: 30 * time.Second, Moves: true},
	// They are claimed in batches, whose work is bounded by less than the lock.
	Judgments:        {PerGroup: 128, Lock: 45 * time.Second},
	RemovedJudgments: {PerGroup: 128, Lock: 45 * time.Second},
	// Two jobs of a workspace have runs at the same time; the others wait for their turn, so
	// that a workspace which deletes much leaves room for the rest.
	Jobs:      {PerGroup: 2, Lock: 30 * time.Second},
	Patterns:  {PerGroup: 32, Lock: 30 * time.Second},
	Rested:    {PerGroup: 32, Lock: 30 * time.Second, Moves: true},
	Schedules: {PerGroup: 32, Lock: 30 * time.Second},
	// So many versions of a workspace are in work at once.
	Versions: {PerGroup: 64, Lock: 30 * time.Second},
}

// Kinds are all of them.
func Kinds() []Kind { return slices.Sorted(maps.Keys(rules)) }

// Rule is how rows of the kind are claimed.
func (k Kind) Rule() Rule { return rules[k] }

// Topic is what whoever works on the kind listens to.
func (k Kind) Topic() pg.Topic { return pg.Topic(k) }

// Work is something to do.
type Work struct {
	Kind Kind
	// Key names what is to be worked on; it is unique for the kind, over all workspaces.
	Key string
	// WorkspaceID is whose work it is: while that workspace is stopped, it waits. Empty means that it
	// waits for nobody.
	WorkspaceID string
	// Group is in whose turn it is claimed; empty means the workspace.
	Group string
	// RunAt is when it is due, by the clock of Postgres; zero means After the end of the transaction.
	RunAt time.Time
	After time.Duration
}

// Queue stores work.
type Queue struct {
	db *pg.DB
	// owner is the name under which this process locks rows, for people.
	owner string
	// longest is for how long it locks at most; zero is as the rules say.
	longest time.Duration
}

// New makes the queue of one process.
func New(db *pg.DB) *Queue { return &Queue{db: db, owner: id.New("worker")} }

// LockingFor returns the queue with claims that lock rows for so long at most; zero is as the
// rules of the kinds say.
func (q *Queue) LockingFor(longest time.Duration) *Queue {
	return &Queue{db: q.db, owner: q.owner, longest: longest}
}

// lock is for how long a claim locks rows of a kind.
func (q *Queue) lock(kind Kind) time.Duration {
	if rule := kind.Rule().Lock; q.longest <= 0 || rule < q.longest {
		return rule
	}
	return q.longest
}

// Put leaves something to do, from the commit of the transaction on. What is there already
// under its kind and key is due at the earlier of both times, or moves to this one (Rule.Moves).
func Put(tx *pg.Tx, w Work) {
	w.Group = cmp.Or(w.Group, w.WorkspaceID)
	own := pg.AtEnd[changes](tx)
	own.put = append(own.put, w)
	if w.RunAt.IsZero() && w.After == 0 {
		tx.NotifyAll(w.Kind.Topic())
	}
}

// Remove ends what is to be done at the commit of the transaction, whoever works on it. Where
// others of its group wait for its place, the caller notifies the kind.
func Remove(tx *pg.Tx, kind Kind, key string) {
	own := pg.AtEnd[changes](tx)
	own.removed = append(own.removed, Work{Kind: kind, Key: key})
}

// Queued queues the question whether something is to be done about a key, now or later, whoever
// works on it.
func Queued(b *pgx.Batch, kind Kind, key string, queued *bool) {
	b.Queue(`SELECT EXISTS (SELECT FROM work WHERE kind = $1 AND key = $2)`, kind, key).
		QueryRow(func(row pgx.Row) error { return row.Scan(queued) })
}

// changes are those of one transaction.
type changes struct{ put, removed []Work }

//go:embed put.sql
var putStatement string

//go:embed remove.sql
var removeStatement string

// Write queues the statements at the end of the transaction.
func (c *changes) Write(b *pgx.Batch) {
	if len(c.removed) > 0 {
		b.Queue(removeStatement, columns(c.removed))
	}
	if len(c.put) > 0 {
		b.Queue(putStatement, columns(c.put))
	}
}

// moving are the kinds whose rows move.
var moving = slices.DeleteFunc(Kinds(), func(k Kind) bool { return !k.Rule().Moves })

// columns are work as arrays.
func columns(all []Work) pgx.NamedArgs {
	var kinds, keys, workspaces, groups []string
	var times []*time.Time
	var afters []time.Duration
	for _, w := range all {
		kinds, keys = append(kinds, string(w.Kind)), append(keys, w.Key)
		workspaces, groups = append(workspaces, w.WorkspaceID), append(groups, w.Group)
		var at *time.Time
		if !w.RunAt.IsZero() {
			at = &w.RunAt
		}
		times, afters = append(times, at), append(afters, w.After)
	}
	return pgx.NamedArgs{
		"kinds": kinds, "keys": keys, "workspaces": workspaces, "groups": groups, "times": times, "afters": afters, "moving": moving,
	}
}
