package execution

import (
	"time"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// pokeMark is the start or poke that an execution owes to Temporal. It stands in
// the row: poke_due is the revision that Temporal has not heard of, poke_at the
// time from which a relay may claim the poke. Its states, and who brings them
// about:
//
//	State      poke_due, poke_at          Set by
//	no poke    NULL                       AckPoke, once Temporal was told of just this revision;
//	                                      a command of the run itself, which has just asked;
//	                                      a command, once the execution is final and no run was started
//	due now    revision, not after now    a command that changes what must be driven;
//	                                      the outcome of a call of a run that another one has replaced;
//	                                      MarkDue, Sweep and Resync;
//	                                      ReleasePokes, if the revision moved on under the claim;
//	                                      nobody: a later time or a claim comes to its end
//	due later  revision, within 10 s      a command that changes only the text for people (detailsDelay);
//	                                      ReleasePokes, after a poke that could not be sent (retryAfter)
//	claimed    revision, within 15 s      ClaimPokes, for a relay (claimFor)
//
// Due later and claimed look the same in the row: nobody takes the poke before its
// time. A command that changes only the text while a poke is due or claimed moves
// poke_due on and leaves poke_at as it is, so that one poke serves for both.
type pokeMark struct {
	due *int64
	at  *time.Time
	// runStarted tells that a run of the execution was asked for before.
	runStarted bool
	// runID is the run that was the last to ask what to drive, empty while none has.
	runID string
	// runMoved says that this command was the first of that run, runMissed that the
	// command is the outcome of a call of another run.
	runMoved, runMissed bool
}

// drivenBy notes that a run asked what to drive.
func (p *pokeMark) drivenBy(runID string) {
	p.runMoved = p.runID != runID
	p.runID = runID
}

// reportedTo notes that an outcome goes to a run. Once an operator has reset a run, or
// ended it and started another one, that is not the run that waits for it.
func (p *pokeMark) reportedTo(runID string) { p.runMissed = p.runID != "" && p.runID != runID }

// detailsDelay is how late Temporal hears of a commit that changes only the text
// for people, so that many of them cost one poke.
const detailsDelay = 10 * time.Second

// update sets the mark after a command, and tells whether it changed.
func (p *pokeMark) update(from commandSource, c interpreter.Change, w *interpreter.State, now time.Time) bool {
	switch {
	case from == fromReader:
		return false
	case from == fromRun:
		changed := p.clear() || !p.runStarted || p.runMoved
		p.runStarted = true
		return changed
	case w.Status.Final() && !p.runStarted:
		// No run has asked yet, so one that may be there asks for its plan first.
		return p.clear()
	case c.Drives && from != fromActivity, p.runMissed:
		p.at = &now
	case from == fromActivity:
		return p.runMoved
	case !c.Details:
		return false
	case p.at == nil:
		later := now.Add(detailsDelay)
		p.at = &later
	}
	revision := w.Revision
	p.due = &revision
	return true
}

// clear takes the mark away, and tells whether there was one.
func (p *pokeMark) clear() bool {
	owed := p.due != nil
	p.due, p.at = nil, nil
	return owed
}

// wake wakes whoever drives Temporal after the commit, if a poke is due now.
func (p *pokeMark) wake(tx *pg.Tx, now time.Time) {
	if p.at != nil && !p.at.After(now) {
		tx.NotifyAll(notifier.Executions)
	}
}
