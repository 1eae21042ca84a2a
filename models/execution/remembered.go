package execution

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/walk"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

const (
	// rememberedMost is how many executions a process remembers; rememberedSteps and
	// rememberedBytes are how many steps and how much content one may have.
	rememberedMost, rememberedSteps, rememberedBytes = 2000, 20, 8 << 10
)

// remembered are executions as the last command of this process left them. With them
// most decisions are written without having read anything, by a transaction that
// requires that nothing has changed since; all others go the long way.
type remembered struct {
	states *expirable.LRU[string, *state]
}

func newRemembered() *remembered {
	return &remembered{expirable.NewLRU[string, *state](rememberedMost, nil, 0)}
}

// keep remembers an execution that runs. Where events go to endpoints or mails to
// reviewers, a command reads more than the execution.
func (r *remembered) keep(s *state) {
	usual := s.walk.Status == walk.Running && s.walk.PausedAt == 0 && s.poke.runStarted && !s.webhooksConfigured && !s.mailsEnabled
	if !usual || len(s.walk.Steps) > rememberedSteps || s.walk.Content() > rememberedBytes {
		return
	}
	s.walk.Stored()
	s.poke = pokeMark{runStarted: true, runID: s.poke.runID} // what is owed by now, only the row knows
	r.states.Add(lockKey(s.workspaceID, s.walk.ExecutionID), s)
}

// take gives an execution up to a command, nil if it is not remembered.
func (r *remembered) take(key string) *state {
	s, _ := r.states.Get(key)
	r.states.Remove(key)
	return s
}

// updateRemembered is updateExecution of an execution that is as it is remembered. A
// start or poke that is owed already stays owed for when it is.
var updateRemembered = fmt.Sprintf(setExecution, "least(poke_at, $16)") + `
  AND revision = $19 AND run_started AND ` + fmt.Sprintf(pg.IsNow, "$20") + `
  AND (run_id, organization_key, document_key, receiver_destination, receiver_origin, receiver_event_types) IS NOT DISTINCT FROM ($18, $21, $22, $23, $24, $25)
  AND (` + subject.ID("e.organization_key") + `) IS NOT DISTINCT FROM $26 AND (` + subject.ID("e.document_key") + `) IS NOT DISTINCT FROM $27
  AND NOT ` + webhooksConfigured + ` AND NOT ` + mailsEnabled

// advanceRemembered is advance in one trip. It gives false, and has done nothing, where
// the long way has to be taken: that alone says why a command is refused.
func (e *Executions) advanceRemembered(ctx context.Context, key string, cmd command) (done bool, err error) {
	s := e.remembered.take(key)
	if s == nil || !cmd.remembers {
		return false, nil
	}
	sent := false
	err = e.db.OneTrip(ctx, func(tx *pg.SQLTx, b *pgx.Batch) error {
		if now := e.clock.Now(); now.After(s.now) {
			s.now = now
		}
		err := e.decideRemembered(ctx, tx, b, s, cmd)
		sent = err == nil
		return err
	})
	switch {
	case !sent, errors.Is(err, pg.ErrNotSo):
		return false, nil
	case err == nil:
		e.remembered.keep(s)
	}
	return true, err
}

// errUnmoved undoes a command after which the engine would have nothing to hear.
var errUnmoved = errors.New("the command changes nothing that the engine shows or drives")

func (e *Executions) decideRemembered(ctx context.Context, tx *pg.SQLTx, b *pgx.Batch, s *state, cmd command) error {
	revision := s.walk.Revision
	c, change, err := e.apply(ctx, tx, s, cmd)
	if err != nil {
		return err
	}
	if !s.poke.update(cmd.from, change, &s.walk, s.now) {
		return errUnmoved
	}
	pg.RequireChange(b, updateRemembered, append(s.columns(), revision, s.now, s.subjects.Organization, s.subjects.Document,
		s.destination, s.origin, s.eventTypes, s.organizationID, s.documentID)...)
	s.queueSteps(b)
	c.queue(b, change.Events)
	s.poke.wake(tx, s.now)
	c.wake(tx)
	return nil
}
