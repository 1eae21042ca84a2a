package mail

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/workspace"
)

// Relays of mails: the operator's, or a mail host of the workspace's own.
const (
	RelayOperator  = "default"
	RelayWorkspace = "smtp"
)

// Ways in which a connection to a mail host is secured.
const (
	SecuritySTARTTLS = "starttls"
	SecurityTLS      = "tls"
	SecurityNone     = "none"
)

// defaultMailPort is shown until a port is set.
const defaultMailPort = 587

// The triggers of mails; each can be switched off.
const (
	TriggerMention    = "comment.mention"
	TriggerReply      = "comment.reply"
	TriggerAssignment = "comment_annotation.assign"
	TriggerApproval   = "step.awaiting-approval"
	TriggerInvitation = "user.invite"
)

// Settings is how a workspace sends mails.
type Settings struct {
	Enabled                bool
	Relay, Host            string
	Port                   int
	Security, Username     string
	FromEmail, FromCompany string
	// Off are the triggers that are switched off.
	Off []string
	// FailedAt and FailedClass describe the last try that failed.
	FailedAt    *time.Time
	FailedClass string
	// SenderConfirmed says that mails may leave with the address of the sender: it is confirmed, or
	// nobody asks for that.
	SenderConfirmed bool

	portSet        bool
	passwordSealed []byte
	// confirmedAt is when the address of the sender was confirmed, code what was sent to it for that.
	confirmedAt *time.Time
	code        senderCode
}

// HasPassword reports whether a password is stored.
func (s *Settings) HasPassword() bool { return len(s.passwordSealed) > 0 }

// HostChecker checks the mail hosts that workspaces name (*guard.Guard).
type HostChecker interface {
	// CheckHost refuses a host that may not be connected to.
	CheckHost(ctx context.Context, host string, port int) error
	// Listed reports whether the operator's allow-list names the host.
	Listed(host string, port int) bool
}

// SettingsStore reads and changes how workspaces send mails.
type SettingsStore struct {
	db       *pg.DB
	box      *secret.Box
	hosts    HostChecker
	hasRelay bool
}

// NewSettingsStore makes the store; hasRelay says that the operator set a relay.
func NewSettingsStore(db *pg.DB, box *secret.Box, hosts HostChecker, hasRelay bool) *SettingsStore {
	return &SettingsStore{db: db, box: box, hosts: hosts, hasRelay: hasRelay}
}

func passwordBinding(workspaceID string) secret.Binding {
	return secret.Binding{Table: "email_settings", Column: "password_sealed", Row: workspaceID, Workspace: workspaceID}
}

// readSettings is SQL by hand since transactions in two trips read it too.
const readSettings = `
SELECT enabled, type, host, port, security, username, password_sealed, from_email, from_company, off, failed_at, coalesce(failed_class, ''),
       sender_confirmed_at, coalesce(code_mail, ''), coalesce(code_sent_at > clock_timestamp() - interval '24 hours', false), code_misses
FROM email_settings WHERE workspace_id = $1`

// takeSettings returns the settings, those of a workspace that never set any where
// there is no row.
func takeSettings(ctx context.Context, tx pg.RowQueryer, workspaceID, lock string) (*Settings, error) {
	s := &Settings{Relay: RelayOperator, Security: SecuritySTARTTLS}
	var port *int
	err := tx.QueryRow(ctx, readSettings+lock, workspaceID).Scan(&s.Enabled, &s.Relay, &s.Host, &port, &s.Security, &s.Username,
		&s.passwordSealed, &s.FromEmail, &s.FromCompany, &s.Off, &s.FailedAt, &s.FailedClass,
		&s.confirmedAt, &s.code.mailID, &s.code.live, &s.code.misses)
	if err != nil && !pg.IsNoRow(err) {
		return nil, pg.Translate(err)
	}
	if s.Port = defaultMailPort; port != nil {
		s.Port, s.portSet = *port, true
	}
	return s, nil
}

// Get returns the settings.
func (s *SettingsStore) Get(ctx context.Context, workspaceID string) (*Settings, error) {
	found, err := takeSettings(ctx, s.db.Pool, workspaceID, "")
	if err != nil {
		return nil, err
	}
	return s.shown(found), nil
}

// shown is the state with whether mails may leave with the address of its sender.
func (s *SettingsStore) shown(state *Settings) *Settings {
	state.SenderConfirmed = !s.mustConfirm(state)
	return state
}

// Update changes what is sent and returns the new state. Updates of a workspace
// follow one another, so concurrent changes of different fields are all kept. When
// it switches the service or a trigger off, none of the mails concerned is sent
// after it returns. Errors:
// INVALID_ARGUMENT where the new state would not hold together;
// FAILED_PRECONDITION (no-mail-relay); RESOURCE_EXHAUSTED (confirmation-quota).
func (s *SettingsStore) Update(ctx context.Context, workspaceID string, caller workspace.Caller, c SettingsChange) (*Settings, error) {
	var after *Settings
	var stopped []string
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		// The table has the settings of a new row.
		first := settingsRow{WorkspaceID: workspaceID}
		err := gorm.G[settingsRow](tx.Gorm(), clause.OnConflict{DoNothing: true}).Select("workspace_id").Create(ctx, &first)
		if err != nil {
			return err
		}
		before, err := takeSettings(ctx, tx, workspaceID, " FOR UPDATE")
		if err != nil {
			return err
		}
		after = c.applied(before)
		if c.Password != nil && after.Username != "" && *c.Password != "" {
			after.passwordSealed = s.box.Seal(passwordBinding(workspaceID), []byte(*c.Password))
		}
		if err := s.check(ctx, before, after, c); err != nil {
			return err
		}
		if stopped, err = stoppedMails(ctx, tx, workspaceID, before, after); err != nil {
			return err
		}
		if err := s.askAnew(ctx, tx, workspaceID, before, after, c); err != nil {
			return err
		}
		return s.write(ctx, tx, workspaceID, after, stopped, caller.Audit(workspaceID, c.fields()...))
	})
	if err != nil {
		return nil, err
	}
	return s.shown(after), delivery.AwaitStarts(ctx, s.db, stopped)
}

// stoppedMails returns the destination of the workspace's mails where the service
// or one of its triggers was switched off.
func stoppedMails(ctx context.Context, tx pg.RowQueryer, workspaceID string, before, after *Settings) ([]string, error) {
	narrowed := slices.ContainsFunc(after.Off, func(trigger string) bool { return !slices.Contains(before.Off, trigger) })
	if !before.Enabled || after.Enabled && !narrowed {
		return nil, nil
	}
	destination, err := delivery.DestinationOfMail(ctx, tx, workspaceID)
	return []string{destination}, err
}

// check refuses a state that does not hold together.
func (s *SettingsStore) check(ctx context.Context, before, after *Settings, c SettingsChange) error {
	if issues := slices.Concat(c.loginIssues(after), after.relayIssues(), s.hostIssues(ctx, after, c)); len(issues) > 0 {
		return fault.InvalidArgument(issues...)
	}
	already := before.Enabled && before.Relay == RelayOperator
	if after.Enabled && after.Relay == RelayOperator && !s.hasRelay && !already {
		return fault.FailedPrecondition("no-mail-relay", "the operator has set no mail relay; use one of your own (type smtp)")
	}
	return nil
}

// writeSettings goes in one trip with what follows from the change.
const writeSettings = `
UPDATE email_settings SET enabled = $2, type = $3, host = $4, port = $5, security = $6, username = $7, password_sealed = $8,
       from_email = $9, from_company = $10, off = $11, sender_confirmed_at = $12, code_mail = nullif($13, ''), code_misses = $14,
       code_sent_at = CASE WHEN $13 = '' THEN NULL WHEN code_mail = $13 THEN code_sent_at ELSE clock_timestamp() END WHERE workspace_id = $1`

// write stores the state. Where the service was switched off, what waits is
// cancelled: otherwise it would be sent once the service is on again.
func (s *SettingsStore) write(ctx context.Context, tx *pg.Tx, workspaceID string, after *Settings, stopped []string, row workspace.Audit) error {
	var port *int
	if after.portSet {
		port = &after.Port
	}
	tx.Notify(notifier.Destinations, stopped...)
	b := &pgx.Batch{}
	b.Queue(writeSettings, workspaceID, after.Enabled, after.Relay, after.Host, port, after.Security, after.Username,
		after.passwordSealed, after.FromEmail, after.FromCompany, after.Off, after.confirmedAt, after.code.mailID, after.code.misses)
	if len(stopped) > 0 && !after.Enabled {
		delivery.CancelPending(tx, b, workspaceID, stopped, webhook.MailsDisabled)
	}
	if after.code.asks {
		if err := after.queueCode(ctx, tx, b, workspaceID); err != nil {
			return err
		}
	}
	row.Queue(b)
	return tx.SendBatch(ctx, b).Close()
}
