package mail

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
)

// StepMail is the mail of a step to one of its recipients, who stands at Position in the
// step's node. At is when the try began.
type StepMail struct {
	WorkspaceID, ExecutionID, StepID string
	Position                         int
	To                               string
	At                               time.Time
	mail.Content
}

// StepMailed is what became of a mail of a step. Result is one of the words for the ends
// of mails, empty where a later try may lead to another one.
type StepMailed struct {
	Result string
	Class  webhook.Class
}

// Turn takes the turn of one mail in the pace of the workspace. Without a turn it returns
// after how long to ask again.
func (s *Mails) Turn(ctx context.Context, workspaceID string) (wait time.Duration, err error) {
	destination, err := delivery.DestinationOfMail(ctx, s.db.Pool, workspaceID)
	if err != nil {
		return 0, err
	}
	return delivery.TakeMailTurn(ctx, s.db, workspaceID, destination)
}

// Settled returns what became of those mails of a step that no later try has to send, by
// the position of the recipient: webhook.OK where the mail was handed over.
func (s *Mails) Settled(ctx context.Context, workspaceID, executionID, stepID string) (map[int]webhook.Class, error) {
	rows, err := s.db.Pool.Query(ctx, `SELECT position, class FROM step_mails
		WHERE workspace_id = $1 AND execution_id = $2 AND step_id = $3 AND class IS NOT NULL`, workspaceID, executionID, stepID)
	if err != nil {
		return nil, pg.Translate(err)
	}
	settled := map[int]webhook.Class{}
	var position int
	var class webhook.Class
	_, err = pgx.ForEachRow(rows, []any{&position, &class}, func() error {
		settled[position] = class
		return nil
	})
	return settled, pg.Translate(err)
}

// markStepMail is the end of takeSlot for a mail of a step.
const markStepMail = `, marked AS (
    INSERT INTO step_mails AS m (workspace_id, execution_id, step_id, position, counted, relayed)
    SELECT @workspace, @execution, @step, @position, true, @free FROM answer WHERE word = 'taken'
    ON CONFLICT (workspace_id, execution_id, step_id, position) DO UPDATE SET counted = true, relayed = m.relayed OR @free
)`

// PrepareStep checks whether a mail of a step is to be sent, and which way. The triggers
// of templates do not apply to it. Its slot among those of the day is taken here, once
// for each recipient.
func (s *Mails) PrepareStep(ctx context.Context, m StepMail) (*Outgoing, error) {
	d := &dueMail{}
	d.out.Template = mail.Notification
	d.out.Message = mail.Message{ID: m.id(), At: m.At, To: m.To, Content: m.Content}
	err := s.db.Pool.QueryRow(ctx, `SELECT w.plan, w.name, w.confirmed_at IS NOT NULL, coalesce(m.counted, false), coalesce(m.relayed, false) FROM workspaces w
		LEFT JOIN step_mails m ON m.workspace_id = w.id AND m.execution_id = $2 AND m.step_id = $3 AND m.position = $4 WHERE w.id = $1`,
		m.WorkspaceID, m.ExecutionID, m.StepID, m.Position).Scan(&d.plan, &d.workspace, &d.confirmed, &d.counted, &d.relayed)
	if err != nil && !pg.IsNoRow(err) {
		return nil, pg.Translate(err)
	}
	state, err := takeSettings(ctx, s.db.Pool, m.WorkspaceID, "")
	if err != nil {
		return nil, err
	}
	if d.Settings = *state; !d.Enabled {
		d.out.Result, d.out.Class = delivery.MailDisabled, webhook.MailsDisabled
		return &d.out, nil
	}
	return &d.out, s.route(ctx, m.WorkspaceID, d, markStepMail, pgx.NamedArgs{"execution": m.ExecutionID, "step": m.StepID, "position": m.Position})
}

// id makes the Message-ID: the same in every try, and it shows no id of a caller's.
func (m StepMail) id() string {
	return "step." + secret.DerivedID(m.WorkspaceID, "step mails", m.ExecutionID, m.StepID, strconv.Itoa(m.Position))
}

// Settle keeps what became of a mail of a step, which no later try has to send.
func (s *Mails) Settle(ctx context.Context, m StepMail, class webhook.Class) error {
	_, err := s.db.Pool.Exec(ctx, `INSERT INTO step_mails (workspace_id, execution_id, step_id, position, class, settled_at)
		VALUES ($1, $2, $3, $4, $5, clock_timestamp())
		ON CONFLICT (workspace_id, execution_id, step_id, position) DO UPDATE SET class = excluded.class, settled_at = excluded.settled_at`,
		m.WorkspaceID, m.ExecutionID, m.StepID, m.Position, string(class))
	return pg.Translate(err)
}

// RemoveOfExecutions removes some of the mails of steps of executions that are gone and returns how
// many rows these were, limit at most; 0 when none are left.
func RemoveOfExecutions(ctx context.Context, db *pg.DB, workspaceID string, executionIDs []string, limit int) (int64, error) {
	return db.Exec(ctx, `DELETE FROM step_mails WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM step_mails WHERE workspace_id = $1 AND execution_id = ANY ($2::text[]) LIMIT $3))`, workspaceID, executionIDs, limit)
}
