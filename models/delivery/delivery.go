package delivery

import (
	"cmp"
	"time"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Deliveries is the store of deliveries: what waits for whom, who
// dispatches it, what became of it. Rows are queued by the commit that made their
// events. Nearly everything here is SQL by hand: one statement serves many rows, in
// the order of their locks, and most share the batch of a trip. Single rows outside
// of these are GORM's.
//
// One activity at a time, its owner, claims rows of a destination. A claimed row
// is locked for twice the limit of a request by the clock of Postgres; its outcome
// counts only while that same attempt is under way.
type Deliveries struct {
	db    *pg.DB
	box   *secret.Box
	rules Rules
	mails MailRows
}

// MailRows are the statements and rules about mails that belong to what their
// deliveries do. The package that owns the mails writes them.
type MailRows struct {
	// End ends the mails m of the deliveries d, as far as they have not ended; the
	// value of their result follows. Lock is a condition behind it that locks them in
	// the order of all statements that end mails; the deliveries are called done.
	End, Lock string
	// Triggers are the switches of templates.
	Triggers map[string]string
}

// Rules are what the operator may set about deliveries.
type Rules struct {
	// Limit is how long an attempt at an endpoint may take (REDLINE_WEBHOOK_TIMEOUT),
	// zero for 15 s; Delays are the pauses after each failed attempt
	// (REDLINE_WEBHOOK_SCHEDULE), none for the schedule of eight attempts.
	Limit  time.Duration
	Delays []time.Duration
	// MailLimit is how long an attempt at a relay may take (REDLINE_MAIL_TIMEOUT), zero
	// for 30 s; MailDelays are the pauses after failed ones (REDLINE_MAIL_SCHEDULE), none
	// for the schedule of seven attempts.
	MailLimit  time.Duration
	MailDelays []time.Duration
}

// New makes the store. box opens and seals receivers' secrets.
func New(db *pg.DB, box *secret.Box, r Rules, mails MailRows) *Deliveries {
	r.Limit, r.MailLimit = cmp.Or(r.Limit, endpointLimit), cmp.Or(r.MailLimit, mailLimit)
	if len(r.Delays) == 0 {
		r.Delays = endpointDelays
	}
	if len(r.MailDelays) == 0 {
		r.MailDelays = mailDelays
	}
	return &Deliveries{db: db, box: box, rules: r, mails: mails}
}

// States of a delivery.
const (
	Pending   = "pending"
	Sending   = "sending" // shown as pending
	Delivered = "delivered"
	Dead      = "dead"
	Refused   = "refused"
)

const (
	// ReceiverLimit is how long a request to a receiver may take in all.
	ReceiverLimit = 10 * time.Second
	// lockFor is how long a destination is left to its owner.
	lockFor = 15 * time.Second
	// ExtendEvery is how often an owner extends its lock.
	ExtendEvery = 5 * time.Second
)

// receiverDelays are the pauses between the attempts of a round: after the
// first failure the first, and so on; one attempt more than pauses, then the
// delivery is dead.
var receiverDelays = []time.Duration{
	2 * time.Second, 8 * time.Second, 32 * time.Second, 128 * time.Second, 512 * time.Second,
}

// Claimed is a delivery whose attempt has begun: of an event to its receiver, of a
// message to an endpoint, or of a mail.
type Claimed struct {
	ID                         int64
	WorkspaceID, DestinationID string
	// Limit is how long its attempt may take; the row is locked for twice that.
	Limit time.Duration
	// Origin is the receiver's, empty for endpoints and mails.
	Origin string
	// URL and Secret are the receiver's as they are now.
	URL    string
	Secret []byte
	// Expired: the process that began the attempt has died, so it is not to be made but
	// recorded as interrupted.
	Expired bool
	// Attempt is its number on the wire, from 0; BegunAt when it began, by the
	// clock of Postgres.
	Attempt int
	BegunAt time.Time
	Event   webhook.Event
	// Message is nil and MailID empty where it is of an event.
	Message *ClaimedMessage
	MailID  string
	// TraceParent is the trace of the call that it follows from, empty where it is not collected.
	TraceParent string
}

// ClaimedMessage is a message on its way to an endpoint.
type ClaimedMessage struct {
	ID, Event string
	CreatedAt time.Time
	// Body is nil when it was removed for its age.
	Body []byte
	// Secrets are the endpoint's living ones, newest first.
	Secrets [][]byte
	// Token goes with each request to the simple receiver, empty where it has none.
	Token string
	// Test: it tries the endpoint out and is sent once.
	Test bool

	// plain: it goes to the simple receiver and has the body for all endpoints.
	plain bool
}

// Kind is that of the delivery's destination.
func (d *Claimed) Kind() string {
	switch {
	case d.Message != nil:
		return kindEndpoint
	case d.MailID != "":
		return kindMail
	default:
		return kindReceiver
	}
}

// FreshFor is how much of its lock may have passed, counted from before the
// claim, when a request is sent: a whole limit and a second are left then.
func (d *Claimed) FreshFor() time.Duration { return d.Limit - time.Second }

// LockedFor is for how long the row is locked, counted from the claim.
func (d *Claimed) LockedFor() time.Duration { return 2 * d.Limit }

// Outcome is what became of a claimed delivery.
type Outcome struct {
	Claimed *Claimed
	Class   webhook.Class
	// Status is the HTTP code, 0 without an answer.
	Status   int
	Duration time.Duration
	// Of endpoints: Body is the beginning of what came with an answer, RetryAfter
	// how long it asks to be left alone, which may be no time at all, and AsksToWait
	// whether it says so.
	Body       string
	RetryAfter time.Duration
	AsksToWait bool
	// MailResult is how a mail ended, empty when it is to be tried again. MailWaits says that
	// nothing was tried: the mail is looked at again after RetryAfter.
	MailResult string
	MailWaits  bool
}
