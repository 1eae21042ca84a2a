package mail

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// Mails prepares mails that are due. Their contents and their relay are decided when
// they are sent, so a change of the settings applies to all that wait.
type Mails struct {
	db        *pg.DB
	box       *secret.Box
	addresses Addresses
	terms     RelayTerms
}

// RelayTerms are on which the operator's relay serves workspaces of the free plan: how many recipients a
// day of each of them, none where Own is 0; of all together, any number where Total is 0, of mails
// to one address as well; and whether it serves those whose owner has not confirmed the address.
type RelayTerms struct {
	Own, Total      int
	OwnersConfirmed bool
}

// perAddress is how many mails a day one address gets from workspaces of the free plan: whoever
// makes many of them shall not flood anybody.
const perAddress = 20

// New makes the store.
func New(db *pg.DB, box *secret.Box, addresses Addresses, terms RelayTerms) *Mails {
	return &Mails{db: db, box: box, addresses: addresses, terms: terms}
}

// Classes of mails that are not handed over.
const (
	// ClassNotVisible: the recipient may not see the comment any more, or it is
	// gone; or it had to wait and has been read meanwhile.
	ClassNotVisible webhook.Class = "not-visible"
	// ClassBatched: it leaves with others, by a mail of their own.
	ClassBatched webhook.Class = "batched"
	// ClassRecipientGone: the recipient was removed from the organization, or it was
	// deleted.
	ClassRecipientGone webhook.Class = "recipient-gone"
	// ClassRelayQuota: the plan has no more recipients at the operator's relay
	// today.
	ClassRelayQuota webhook.Class = "relay-quota"
	// ClassRelayFull: the relay serves no more mails of workspaces of the free plan today, or none to
	// this address. The mail waits.
	ClassRelayFull webhook.Class = "relay-full"
	// ClassNoRelay: the operator has taken the relay away.
	ClassNoRelay webhook.Class = "no-mail-relay"
	// ClassMailQuota: the workspace has sent as many mails today as it may.
	ClassMailQuota webhook.Class = "mail-quota"
	// ClassOwnerUnconfirmed: the operator's relay serves a workspace of the free plan once its owner
	// has confirmed the address that it was made with.
	ClassOwnerUnconfirmed webhook.Class = "owner-unconfirmed"
	// ClassSenderUnconfirmed: a host of the workspace's own is used once the address of the sender is
	// confirmed, unless the operator has listed it.
	ClassSenderUnconfirmed webhook.Class = "sender-unconfirmed"
	// ClassOver: what the mail asks to be confirmed is over, or another mail has taken its place.
	ClassOver webhook.Class = "over"
)

// Outgoing is a mail that is due. With a Result it ends without being sent, for
// the reason Class. From and FromName are empty where they are the operator's.
type Outgoing struct {
	Result string
	Class  webhook.Class
	// Wait is after how long a mail is looked at again that must wait, without a try.
	Wait     time.Duration
	Template string
	Host     mail.Host
	// SenderConfirmed says that the address of the sender is confirmed, or is confirmed by this mail.
	SenderConfirmed bool
	Message         mail.Message
}

// dueMail is a mail with the data that decides whether and how it is sent.
type dueMail struct {
	Settings
	out          Outgoing
	userID, plan string
	// organizationID is the caller's id of the organization that knows the recipient.
	organizationID string
	// workspace is the name of the workspace.
	workspace string
	// confirmed says that the owner has confirmed the address of the workspace.
	confirmed        bool
	counted, relayed bool
	// homeless says that the recipient's organization was deleted.
	homeless      bool
	annotationKey *int64
	commentSeq    *int64
	// delayed says that it left later than what it is about; batchID is the mail that it leaves with, empty for none.
	delayed    bool
	batchID    string
	subject    *string
	text, html *string
}

// readMail reads mail, plan and whether the organization that knew the recipient was
// deleted, in one trip, by hand. One that was made after the mail only has the same id.
const readMail = `
SELECT m.template, m.recipient, m.recipient_name, m.user_id, m.thread, m.created_at, m.subject, m.body_text, m.body_html,
       m.annotation_key, m.comment_seq, m.leaves_at IS NOT NULL, coalesce(m.batch_id, ''), m.organization_id, m.counted, m.relayed, coalesce(m.result, ''), coalesce(m.class, ''), w.plan, w.name,
       w.confirmed_at IS NOT NULL, m.organization_id <> '' AND NOT EXISTS (
           SELECT FROM organizations o
           WHERE o.workspace_id = m.workspace_id AND o.organization_id = m.organization_id AND o.created_at <= m.created_at)
FROM mails m JOIN workspaces w ON w.id = m.workspace_id WHERE m.workspace_id = $1 AND m.id = $2`

// Prepare reads a mail and checks for the last time whether it is to be sent. Its
// slot among those of the day is taken here, once.
func (s *Mails) Prepare(ctx context.Context, workspaceID, mailID string) (*Outgoing, error) {
	d := &dueMail{}
	d.out.Message.ID = mailID
	err := s.db.Pool.QueryRow(ctx, readMail, workspaceID, mailID).Scan(&d.out.Template, &d.out.Message.To, &d.out.Message.ToName, &d.userID,
		&d.out.Message.Thread, &d.out.Message.At, &d.subject, &d.text, &d.html, &d.annotationKey, &d.commentSeq, &d.delayed, &d.batchID, &d.organizationID, &d.counted, &d.relayed, &d.out.Result, &d.out.Class, &d.plan, &d.workspace, &d.confirmed, &d.homeless)
	if pg.IsNoRow(err) {
		return &Outgoing{Result: delivery.MailDisabled, Class: webhook.MailsDisabled}, nil // the workspace is gone
	}
	if err != nil {
		return nil, pg.Translate(err)
	}
	state, err := takeSettings(ctx, s.db.Pool, workspaceID, "")
	if err != nil {
		return nil, err
	}
	d.Settings = *state
	return &d.out, s.decide(ctx, workspaceID, d)
}

// decide fills what is sent, or why nothing is.
func (s *Mails) decide(ctx context.Context, workspaceID string, d *dueMail) error {
	switch {
	case d.out.Result != "":
		return nil // it has ended before
	case d.out.Template == mail.OwnerConfirmation:
		s.askOwner(workspaceID, d)
		return nil
	case d.out.Template == mail.SenderCode:
		return s.askSender(workspaceID, d)
	case !d.sends(d.out.Template):
		d.out.Result, d.out.Class = delivery.MailDisabled, webhook.MailsDisabled
		return nil
	case d.homeless:
		d.out.Result, d.out.Class = delivery.MailDisabled, ClassRecipientGone
		return nil
	case d.out.Template == mail.Batch:
		if said, err := s.writeBatch(ctx, workspaceID, d); err != nil || !said {
			d.out.Result, d.out.Class = delivery.MailDisabled, ClassNotVisible
			return err
		}
		return s.route(ctx, workspaceID, d, markCounted, pgx.NamedArgs{"mail": d.out.Message.ID})
	default:
	}
	if joined, err := s.join(ctx, workspaceID, d); err != nil || joined {
		d.out.Result, d.out.Class = delivery.MailDisabled, ClassBatched
		return err
	}
	visible, err := s.write(ctx, workspaceID, d)
	if err != nil {
		return err
	}
	if !visible {
		d.out.Result, d.out.Class = delivery.MailDisabled, ClassNotVisible
		return nil
	}
	return s.route(ctx, workspaceID, d, markCounted, pgx.NamedArgs{"mail": d.out.Message.ID})
}

// route fills from whom the mail comes and which way it goes, and takes its slot. A mail by the operator's
// relay comes in the name of its workspace at least. mark notes that it was counted; the mail is what of names.
func (s *Mails) route(ctx context.Context, workspaceID string, d *dueMail, mark string, of pgx.NamedArgs) error {
	d.out.Message.FromName = d.FromCompany
	if d.Relay == RelayWorkspace {
		d.out.Message.From, d.out.SenderConfirmed = d.FromEmail, d.confirmedAt != nil
		if err := s.address(workspaceID, d); err != nil {
			return err
		}
		return s.takeSlot(ctx, workspaceID, d, mark, of)
	}
	if d.plan != workspace.PlanPaid && !d.confirmed && !s.terms.OwnersConfirmed {
		d.out.Result, d.out.Class = delivery.MailFailed, ClassOwnerUnconfirmed
		return nil
	}
	d.out.Message.ReplyTo, d.out.Host.Operators = d.FromEmail, true
	d.out.Message.FromName = cmp.Or(d.FromCompany, d.workspace)
	return s.takeSlot(ctx, workspaceID, d, mark, of)
}

// address fills the workspace's own host.
func (s *Mails) address(workspaceID string, d *dueMail) error {
	d.out.Host = mail.Host{Name: d.Host, Port: d.Port, Security: d.Security, Username: d.Username}
	if !d.HasPassword() {
		return nil
	}
	password, err := s.box.Open(passwordBinding(workspaceID), d.passwordSealed)
	d.out.Host.Password = string(password)
	return err
}

//go:embed take_slot.sql
var takeSlot string

// markCounted is the end of takeSlot for a mail.
const markCounted = `, marked AS (
    UPDATE mails SET counted = true, relayed = relayed OR @free WHERE workspace_id = @workspace AND id = @mail AND (SELECT word FROM answer) = 'taken'
)`

const (
	// openRelayDay makes the rows that takeSlot counts in.
	openRelayDay = `INSERT INTO relay_uses (day, address) SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date, a FROM unnest(ARRAY['', $1]) AS a ORDER BY a ON CONFLICT DO NOTHING`
	// relayWait is how soon what waits for the relay is looked at again: the plan may be another one by
	// then, and else the day.
	relayWait = 10 * time.Minute
	// PerDay is how many mails a workspace sends a day, whichever way they go.
	PerDay = 10_000
)

// takeSlot takes the slot of a mail among those of the day, once: among those of the workspace and, by the
// operator's relay, among those of the free plan.
func (s *Mails) takeSlot(ctx context.Context, workspaceID string, d *dueMail, mark string, of pgx.NamedArgs) error {
	free := d.out.Host.Operators && d.plan != workspace.PlanPaid
	if d.counted && (d.relayed || !free) {
		return nil
	}
	to := d.out.Message.To
	if parsed, err := email.Parse(to); err == nil {
		to = parsed.Mailbox()
	}
	to = s.countedAs(to)
	of["workspace"], of["address"], of["free"], of["daily"] = workspaceID, to, free, PerDay
	of["own"], of["total"], of["each"] = s.terms.Own, s.terms.Total, perAddress
	var word string
	b := &pgx.Batch{}
	if free {
		b.Queue(openRelayDay, to)
	}
	b.Queue(takeSlot+mark+` SELECT word FROM answer`, of).QueryRow(func(row pgx.Row) error { return row.Scan(&word) })
	err := s.db.InTx(ctx, func(tx *pg.Tx) error { return tx.SendBatch(ctx, b).Close() })
	switch word {
	case "daily":
		d.out.Result, d.out.Class = delivery.MailFailed, ClassMailQuota
	case "quota":
		d.out.Result, d.out.Class = delivery.MailFailed, ClassRelayQuota
	case "wait":
		d.out.Class, d.out.Wait = ClassRelayFull, relayWait
	}
	return err
}

// relayUse is the use of the hash key by which addresses are counted.
const relayUse = "redline/relay-use/v1"

// countedAs is an address as the relay counts it: nobody shall read there whom workspaces wrote to, nor try addresses. Under
// another hash key the count of the day begins anew.
func (s *Mails) countedAs(address string) string {
	return hex.EncodeToString(s.box.MAC(relayUse, []byte(address)))
}

// relayDays is for how long it is kept what the relay was asked to serve.
const relayDays = "2 days"

// aged are mails that go by their age, with their deliveries, once they have ended.
var aged = pg.Aged{Remove: `DELETE FROM mails`, At: "created_at", Stays: "t.result IS NULL"}

// Expire removes mails that are older than days and have ended, so many at once, and
// returns how many it removed.
func (s *Mails) Expire(ctx context.Context, days, atOnce int) (int64, error) {
	if _, err := s.db.RemoveAged(ctx, pg.Aged{Remove: `DELETE FROM relay_uses`, At: "day"}, relayDays, atOnce); err != nil {
		return 0, err
	}
	return s.db.RemoveAged(ctx, aged, pg.Days(days), atOnce)
}

// Failed keeps why the last try of a workspace failed.
func (s *Mails) Failed(ctx context.Context, workspaceID string, class webhook.Class) error {
	_, err := gorm.G[settingsRow](s.db.Gorm).Scopes(pg.Tenant(workspaceID)).Set(
		clause.Assignments(map[string]any{"failed_at": pg.Clock, "failed_class": string(class)}),
	).Update(ctx)
	return pg.Translate(err)
}

// write fills the content of the mail. It reports whether the recipient may see the
// comment that the mail is about, and is tagged by it still where the mail says so.
func (s *Mails) write(ctx context.Context, workspaceID string, d *dueMail) (visible bool, err error) {
	if d.annotationKey == nil {
		if d.subject != nil && d.text != nil && d.html != nil {
			d.out.Message.Content = mail.Content{Subject: *d.subject, Text: *d.text, HTML: *d.html}
		}
		return true, nil
	}
	about, err := s.about(ctx, workspaceID, d)
	if err != nil || about == nil {
		return false, err
	}
	d.out.Message.Content = mail.Comment(*about)
	return true, nil
}

// about is what a mail says of its comment; nil where the recipient may not see it, or is not to hear of it any more.
func (s *Mails) about(ctx context.Context, workspaceID string, d *dueMail) (*mail.About, error) {
	c, err := s.readSubject(ctx, workspaceID, d)
	if err != nil || c == nil {
		return nil, err
	}
	if d.delayed {
		if wanted, err := s.wanted(ctx, c, d); err != nil || !wanted {
			return nil, err
		}
	}
	may := &directory.Viewers{Members: map[directory.Membership]bool{}, Document: c.document}
	if may.Reach, err = directory.ReadAccess(ctx, s.db.Pool, c.organization, []int64{c.document}, []string{d.userID}); err != nil {
		return nil, pg.Translate(err)
	}
	if c.Visibility.OrganizationID != "" {
		asked := []directory.Membership{{OrganizationID: c.Visibility.OrganizationID, UserID: d.userID}}
		if err := may.ReadMembers(ctx, s.db.Pool, workspaceID, asked); err != nil {
			return nil, pg.Translate(err)
		}
	}
	if !may.Sees(c.Visibility, c.author, d.userID) || d.out.Template == mail.Mention && !c.tags(d.userID) {
		return nil, nil //nolint:nilnil // nothing is said
	}
	c.about.Template = d.out.Template
	return &c.about, nil
}

// subject is the comment that a mail is about, as it is now.
type subject struct {
	directory.Visibility
	about                  mail.About
	author                 string
	organization, document int64
}

// tags reports whether the comment tags a user: an edit may have taken that back.
func (s *subject) tags(userID string) bool {
	return slices.Contains(thread.Tags(s.about.Text, s.about.HTML), userID)
}

// readSubject reads comment, annotation and document in one trip, by hand.
const readSubject = `
SELECT a.visibility, coalesce(a.visible_to_org, ''), a.visible_to, a.author_id, d.key, d.organization_key, d.name,
       c.comment_text, c.comment_html, c.author, c.contacts
FROM annotations a JOIN comments c ON c.annotation_key = a.key JOIN documents d ON d.key = a.document_key
JOIN organizations o ON o.key = d.organization_key
WHERE a.workspace_id = $1 AND a.key = $2 AND c.seq = $3 AND o.organization_id IS NOT NULL`

// readSubject returns nil where the comment is gone, or the document or organization
// that it is in was deleted.
func (s *Mails) readSubject(ctx context.Context, workspaceID string, d *dueMail) (*subject, error) {
	c := &subject{}
	var author, contacts []byte
	err := s.db.Pool.QueryRow(ctx, readSubject, workspaceID, *d.annotationKey, *d.commentSeq).Scan(&c.Type, &c.OrganizationID, &c.UserIDs,
		&c.author, &c.document, &c.organization, &c.about.Document, &c.about.Text, &c.about.HTML, &author, &contacts)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // no comment is an answer
	}
	if err != nil {
		return nil, pg.Translate(err)
	}
	c.about.Actor = displayName(author)
	return c, s.nameTagged(ctx, c, contacts)
}

// nameTagged finds how the tagged users are called: by their contact, else by
// their profile.
func (s *Mails) nameTagged(ctx context.Context, c *subject, contacts []byte) error {
	c.about.Names = map[string]string{}
	var tagged []directory.Contact
	_ = json.Unmarshal(contacts, &tagged) // it was written from such a list, or is not there
	for _, t := range tagged {
		c.about.Names[t.UserID] = pg.Present(t.Contact.Name)
	}
	users := slices.DeleteFunc(thread.Tags(c.about.Text, c.about.HTML), func(user string) bool { return c.about.Names[user] != "" })
	if len(users) == 0 {
		return nil
	}
	profiles, err := directory.ReadProfiles(ctx, s.db.Pool, c.organization, users)
	for user, known := range profiles {
		c.about.Names[user] = pg.Present(known.Name)
	}
	return pg.Translate(err)
}

// displayName is how a snapshot of a person is called.
func displayName(snapshot []byte) string {
	return cmp.Or(shape.Text(snapshot, "name"), shape.Text(snapshot, "userId"))
}
