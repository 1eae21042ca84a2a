package execution

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/interpreter"
	mailing "github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/mail"
)

// mailsAtOnce is how many mails of a step are under way at once. A slow mail host must
// not take all the time of a call for a few recipients, and few hosts take many
// connections of one client.
const mailsAtOnce = 5

// Mailer hands over the mails of steps (*mailer.Mailer).
type Mailer interface {
	// Settled returns what became of those mails that no later try has to send, by the
	// position of the recipient.
	Settled(ctx context.Context, workspaceID, executionID, stepID string) (map[int]webhook.Class, error)
	// SendStep makes one try of a mail, in its turn, and keeps what is final about it.
	SendStep(ctx context.Context, m mail.StepMail) mail.StepMailed
}

// mailRound is one try of the mails of a step.
type mailRound struct {
	mu sync.Mutex
	// tried is what became of each recipient, by position.
	tried map[int]mail.StepMailed
	// reached says that somebody was, hostFails what became of the mail after which the
	// others need not be tried: the host takes none.
	reached   bool
	hostFails *mail.StepMailed
}

// sendMails sends to those recipients of whom nothing final is known yet. The step
// reached somebody if one of its tries did.
func (n *NotificationCaller) sendMails(ctx context.Context, call *execution.StepCall, filled notificationText) interpreter.Outcome {
	settled, err := n.mails.Settled(ctx, call.WorkspaceID, call.ExecutionID, call.StepID)
	if err != nil {
		return interpreter.Outcome{Kind: interpreter.Transient, Code: codeMailsFailed, Message: "what earlier tries reached could not be read"}
	}
	round := &mailRound{tried: map[int]mail.StepMailed{}}
	for position, class := range settled {
		round.keep(position, mail.StepMailed{Result: resultOf(class), Class: class})
	}
	content := filled.mail(call.Notification.Format)
	var group errgroup.Group
	group.SetLimit(mailsAtOnce)
	for position, to := range call.Notification.Recipients {
		if _, known := settled[position]; known || slices.Index(call.Notification.Recipients, to) != position {
			continue
		}
		group.Go(func() error {
			round.send(ctx, n.mails, mail.StepMail{
				WorkspaceID: call.WorkspaceID, ExecutionID: call.ExecutionID, StepID: call.StepID,
				Position: position, To: to, At: call.BegunAt, Content: content,
			})
			return nil
		})
	}
	_ = group.Wait() // what became of each is in the round
	return round.outcome(call)
}

// resultOf is the result of a mail whose class was kept as final.
func resultOf(class webhook.Class) string {
	if class == webhook.OK {
		return delivery.MailSent
	}
	return delivery.MailFailed
}

// send tries one mail, unless the host takes none.
func (r *mailRound) send(ctx context.Context, mails Mailer, m mail.StepMail) {
	r.mu.Lock()
	fails := r.hostFails
	r.mu.Unlock()
	if fails == nil {
		done := mails.SendStep(ctx, m)
		fails = &done
	}
	r.keep(m.Position, *fails)
}

func (r *mailRound) keep(position int, done mail.StepMailed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried[position] = done
	r.reached = r.reached || done.Result == delivery.MailSent
	if r.reached {
		r.hostFails = nil
	} else if !ofRecipient(done.Class) {
		r.hostFails = &done
	}
}

// ofRecipient reports whether another recipient may fare better at the same host.
func ofRecipient(class webhook.Class) bool {
	switch class {
	case webhook.Class(mailing.RecipientRefused), webhook.Class(mailing.MessageRefused), webhook.Class(mailing.Temporary), webhook.Timeout:
		return true
	default:
		return false
	}
}

// outcome sums up a round: one recipient reached is enough, and another try is made only
// where it may reach somebody.
func (r *mailRound) outcome(call *execution.StepCall) interpreter.Outcome {
	out := notificationOutput{Channel: call.Notification.Channel, Failed: []missed{}}
	first, off, mayPass := webhook.Class(""), true, false
	for position, to := range call.Notification.Recipients {
		done, tried := r.tried[position]
		switch {
		case !tried: // named twice
		case done.Result == delivery.MailSent:
			out.Delivered++
		default:
			out.Failed = append(out.Failed, missed{to, done.Class})
			if first == "" {
				first = done.Class
			}
			off = off && (done.Result == delivery.MailDisabled || done.Class == mail.ClassNoRelay)
			mayPass = mayPass || done.Result == ""
		}
	}
	o := interpreter.Outcome{Kind: interpreter.Permanent, Output: shape.Encode(out), Delivered: out.Delivered}
	switch {
	case out.Delivered > 0:
		o.Kind = interpreter.Success
		return o
	case off:
		o.Code, o.Message = codeMailsOff, "the e-mail service of the workspace is off, or the operator has no mail relay"
		return o
	case mayPass:
		o.Kind = interpreter.Transient
	}
	o.Code, o.Message = codeMailsFailed, fmt.Sprintf("none of the %d recipients was reached (%s)", len(out.Failed), first)
	return o
}
