package mailer

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/activities/delivery"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/internal/webhook"
	deliveries "github.com/redline-svc/redline/models/delivery"
	mails "github.com/redline-svc/redline/models/mail"
)

// Rows is what handing mails over needs of the rows (*mail.Mails).
type Rows interface {
	// Prepare decides what is sent and which way, or that nothing is.
	Prepare(ctx context.Context, workspaceID, mailID string) (*mails.Outgoing, error)
	// Failed keeps why the last try of a workspace failed.
	Failed(ctx context.Context, workspaceID string, class webhook.Class) error
	StepRows
}

// Client hands mails to mail hosts (*mail.Client).
type Client interface {
	Send(ctx context.Context, h mail.Host, m mail.Message) error
}

// Relay is the operator's mail relay and the address that its mails come from.
type Relay struct {
	mail.Host
	From, FromName string
}

// nameFor is what a mail comes from that a workspace sends by this relay: it names the service
// beside the workspace, which anybody may have made under any name.
func (r *Relay) nameFor(workspace string) string {
	if workspace == "" || r.FromName == "" {
		return cmp.Or(workspace, r.FromName)
	}
	return workspace + " via " + r.FromName
}

// Mailer hands mails over to the relay of their workspace.
type Mailer struct {
	rows    Rows
	client  Client
	listed  func(host string, port int) bool
	relay   *Relay
	metrics *telemetry.Metrics
	log     *slog.Logger
	// slots are for mails of steps.
	slots *slots.Slots
}

// Parts is what a Mailer is made from. Listed says which hosts the operator
// listed; Relay is nil where there is none.
type Parts struct {
	Rows    Rows
	Client  Client
	Listed  func(host string, port int) bool
	Relay   *Relay
	Metrics *telemetry.Metrics
	Log     *slog.Logger
}

// New makes it.
func New(p Parts) *Mailer {
	return &Mailer{rows: p.Rows, client: p.Client, listed: p.Listed, relay: p.Relay, metrics: p.Metrics, log: p.Log, slots: slots.New(stepMails)}
}

// What stands in the metric for a try that another one follows, and for a mail that waits
// for the operator's relay.
const (
	again = "again"
	waits = "waits"
)

// Send makes one try of a mail. The settings are read here, so what waited goes
// the way that is set now; what must not be sent any more ends. Mails may be
// switched off meanwhile, so mayStart is asked last.
func (m *Mailer) Send(ctx context.Context, workspaceID, mailID string, mayStart func() bool) (delivery.Mailed, error) {
	out, err := m.rows.Prepare(ctx, workspaceID, mailID)
	if err != nil {
		return delivery.Mailed{}, err
	}
	if out.Wait > 0 {
		m.count(out.Template, waits)
		return delivery.Mailed{Class: out.Class, Wait: out.Wait}, nil
	}
	done := delivery.Mailed{Class: out.Class, Result: out.Result}
	if out.Result == "" {
		if !mayStart() {
			return delivery.Mailed{Class: webhook.Interrupted}, nil
		}
		done = m.try(ctx, out)
	}
	m.count(out.Template, done.Result)
	if done.Result != deliveries.MailSent && done.Result != deliveries.MailDisabled {
		m.note(ctx, workspaceID, mailID, done.Class)
	}
	return done, nil
}

// count counts a try in the metric.
func (m *Mailer) count(template, result string) {
	if result == "" {
		result = again
	}
	m.metrics.EmailSends.WithLabelValues(template, result).Inc()
}

// note keeps a failure for the workspace and logs it without the text of the
// error, which may hold addresses.
func (m *Mailer) note(ctx context.Context, workspaceID, mailID string, class webhook.Class) {
	m.log.Info("a mail was not handed over", "workspace_id", workspaceID, "mail_id", mailID, "class", class)
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), activities.StoreLimit)
	defer cancel()
	if err := m.rows.Failed(own, workspaceID, class); err != nil {
		m.log.Warn("the failure of a mail could not be kept", "mail_id", mailID, "error", err)
	}
}

// refused reports whether a mail is not handed over at all, and with what. A host that the operator lists
// is asked whatever its rules, as the operator's own is.
func (m *Mailer) refused(out *mails.Outgoing) (delivery.Mailed, bool) {
	h := out.Host
	switch trusted := h.Operators || m.listed(h.Name, h.Port); {
	case h.Username != "" && h.Password == "":
		return delivery.Mailed{Class: webhook.Class(mail.Auth)}, true // it went with the host that it was for
	case trusted:
		return delivery.Mailed{}, false
	case h.Security == mails.SecurityNone || h.Username == "":
		return delivery.Mailed{Class: webhook.RefusedByPolicy, Result: deliveries.MailFailed}, true
	case !out.SenderConfirmed:
		return delivery.Mailed{Class: mails.ClassSenderUnconfirmed, Result: deliveries.MailFailed}, true
	default:
		return delivery.Mailed{}, false
	}
}

// try hands the mail over. A refusal that no later try can lift is final. A panic over
// what a host has said is a try that reached nobody: it would end the process, since
// mails are handed over beside one another.
func (m *Mailer) try(ctx context.Context, out *mails.Outgoing) (done delivery.Mailed) {
	defer func() {
		if cause := recover(); cause != nil {
			m.log.Error("handing a mail over has panicked", "mail_id", out.Message.ID, "error", fault.Panicked(cause))
			done = delivery.Mailed{Class: webhook.Class(guard.ClassUnreachable)}
		}
	}()
	if out.Host.Operators {
		if m.relay == nil {
			return delivery.Mailed{Class: mails.ClassNoRelay}
		}
		out.Host, out.Message.From, out.Message.FromName = m.relay.Host, m.relay.From, m.relay.nameFor(out.Message.FromName)
	}
	if refused, is := m.refused(out); is {
		return refused
	}
	err := m.client.Send(ctx, out.Host, out.Message)
	if err == nil {
		return delivery.Mailed{Class: webhook.OK, Result: deliveries.MailSent}
	}
	failed, known := errors.AsType[*mail.Error](err)
	switch {
	case !known:
		return delivery.Mailed{Class: webhook.Class(guard.ClassUnreachable)}
	case failed.Final():
		return delivery.Mailed{Class: webhook.Class(failed.Class), Result: deliveries.MailFailed}
	default:
		return delivery.Mailed{Class: webhook.Class(failed.Class)}
	}
}
