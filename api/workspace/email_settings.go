package workspace

import (
	"context"
	"strings"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/workspace"
)

type emailSettingsStore interface {
	Get(ctx context.Context, workspaceID string) (*mail.Settings, error)
	Update(ctx context.Context, workspaceID string, caller workspace.Caller, c mail.SettingsChange) (*mail.Settings, error)
	ConfirmSender(ctx context.Context, workspaceID string, caller workspace.Caller, code string) (*mail.Settings, error)
}

// EmailSettings are the operations on how a workspace sends mails; every key of
// it sees and changes the same settings.
type EmailSettings struct{ store emailSettingsStore }

// NewEmailSettings makes the operations.
func NewEmailSettings(store emailSettingsStore) *EmailSettings { return &EmailSettings{store: store} }

// GetEmailSettings is the request of emailconfig/get.
type GetEmailSettings struct{}

// MailTriggers says for each cause of a mail whether it is on.
type MailTriggers struct {
	Mention    bool `json:"comment.mention"`
	Reply      bool `json:"comment.reply"`
	Assignment bool `json:"comment_annotation.assign"`
	Approval   bool `json:"step.awaiting-approval"`
	Invitation bool `json:"user.invite"`
}

// EmailServiceConfig is how mails leave, without the password.
type EmailServiceConfig struct {
	Type        string `json:"type" enum:"default,smtp"`
	Host        string `json:"host"`
	Port        int    `json:"port"`
	Security    string `json:"security" enum:"starttls,tls,none"`
	Username    string `json:"username"`
	HasPassword bool   `json:"hasPassword" doc:"the password itself is never shown"`
	FromEmail   string `json:"fromEmail"`
	FromCompany string `json:"fromCompany"`
	// SenderConfirmed is false only while mails of a host of one's own wait for emailconfig/confirm.
	SenderConfirmed bool         `json:"senderConfirmed" doc:"false: mails fail until fromEmail is confirmed by the code that was sent to it"`
	Triggers        MailTriggers `json:"triggers"`
}

// MailFailure is the last try of a mail that failed.
type MailFailure struct {
	At    string `json:"at" doc:"ISO-8601"`
	Class string `json:"class" doc:"auth after a refused login"`
}

// EmailSettingsView is the state of the e-mail service of a workspace.
type EmailSettingsView struct {
	UseEmailService bool               `json:"useEmailService"`
	Config          EmailServiceConfig `json:"emailServiceConfig"`
	LastFailure     *MailFailure       `json:"lastFailure"`
}

func viewEmailSettings(s *mail.Settings) EmailSettingsView {
	off := map[string]bool{}
	for _, name := range s.Off {
		off[name] = true
	}
	view := EmailSettingsView{UseEmailService: s.Enabled, Config: EmailServiceConfig{
		Type: s.Relay, Host: s.Host, Port: s.Port, Security: s.Security, Username: s.Username, HasPassword: s.HasPassword(),
		FromEmail: s.FromEmail, FromCompany: s.FromCompany, SenderConfirmed: s.SenderConfirmed,
		Triggers: MailTriggers{
			Mention: !off[mail.TriggerMention], Reply: !off[mail.TriggerReply],
			Assignment: !off[mail.TriggerAssignment], Approval: !off[mail.TriggerApproval], Invitation: !off[mail.TriggerInvitation],
		},
	}}
	if s.FailedAt != nil {
		view.LastFailure = &MailFailure{At: rpc.FormatTime(*s.FailedAt), Class: s.FailedClass}
	}
	return view
}

// Get returns the settings.
func (e *EmailSettings) Get(ctx context.Context, _ *GetEmailSettings) (*rpc.Success[EmailSettingsView], error) {
	found, err := e.store.Get(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("E-mail settings found.", viewEmailSettings(found)), nil
}

// UpdateEmailSettings is the request of emailconfig/update; at least one field.
type UpdateEmailSettings struct {
	UseEmailService *bool                   `json:"useEmailService,omitempty" notNull:"true" doc:"off: mails that wait are never sent"`
	Config          *EmailServiceConfigData `json:"emailServiceConfig,omitempty" notNull:"true"`
}

// EmailServiceConfigData is what shall change; null clears a text and gives port
// and security their defaults.
type EmailServiceConfigData struct {
	Type        *string           `json:"type,omitempty" notNull:"true" enum:"default,smtp" doc:"the operator's relay, or an own one"`
	Host        *string           `json:"host,omitempty" maxLength:"253" doc:"required for smtp; another host drops the stored password"`
	Port        *int              `json:"port,omitempty" minimum:"1" maximum:"65535" doc:"465, 587 or 2525, any for hosts that the operator has listed; required for smtp"`
	Security    *string           `json:"security,omitempty" enum:"starttls,tls,none" example:"tls" doc:"default starttls, an upgrade that must succeed; none only for hosts that the operator has listed"`
	Username    *string           `json:"username,omitempty" maxLength:"512" doc:"with password; required for hosts that the operator has not listed"`
	Password    *string           `json:"password,omitempty" maxLength:"512" doc:"write-only; null clears it together with the username"`
	FromEmail   *string           `json:"fromEmail,omitempty" doc:"required for smtp; with default it becomes Reply-To"`
	FromCompany *string           `json:"fromCompany,omitempty" maxLength:"200" example:"Example" doc:"the name that mails come from, no line breaks"`
	Triggers    *MailTriggersData `json:"triggers,omitempty" notNull:"true"`
	Cleared     shape.Nulls       `json:"-"`
}

// MailTriggersData switches causes of mails on and off.
type MailTriggersData struct {
	Mention    *bool `json:"comment.mention,omitempty" notNull:"true" example:"true"`
	Reply      *bool `json:"comment.reply,omitempty" notNull:"true"`
	Assignment *bool `json:"comment_annotation.assign,omitempty" notNull:"true" example:"true"`
	Approval   *bool `json:"step.awaiting-approval,omitempty" notNull:"true" example:"true"`
	Invitation *bool `json:"user.invite,omitempty" notNull:"true" example:"true"`
}

// Validate checks what tags cannot say.
func (r *UpdateEmailSettings) Validate() []fault.Issue {
	if r.UseEmailService == nil && r.Config == nil {
		return []fault.Issue{{Code: shape.Required, Path: []string{}, Message: "useEmailService or emailServiceConfig is required"}}
	}
	var issues []fault.Issue
	if r.Config != nil {
		r.Config.check(rpc.IssuesIn(&issues, "emailServiceConfig"))
	}
	return issues
}

func (c *EmailServiceConfigData) check(at rpc.Issues) {
	if given := rpc.TextOf(unblank(c.FromEmail)); given != "" {
		if _, err := email.Parse(given); err != nil {
			at.At("fromEmail").Add(shape.Format, err.Error())
		}
	}
	if strings.ContainsAny(rpc.TextOf(c.FromCompany), "\r\n\v\f\u0085\u2028\u2029") {
		at.At("fromCompany").Add(shape.Pattern, "must not have line breaks")
	}
}

// unblank makes a text of white space alone empty.
func unblank(text *string) *string {
	if text != nil && strings.TrimSpace(*text) == "" {
		return new(string)
	}
	return text
}

func (r *UpdateEmailSettings) change() mail.SettingsChange {
	change := mail.SettingsChange{Enabled: r.UseEmailService}
	c := r.Config
	if c == nil {
		return change
	}
	change.Relay, change.Port, change.Security = c.Type, c.Port, c.Security
	for _, field := range []struct {
		name     string
		to, sent **string
	}{
		{"host", &change.Host, &c.Host},
		{"username", &change.Username, &c.Username},
		{"password", &change.Password, &c.Password},
		{"fromEmail", &change.FromEmail, &c.FromEmail},
		{"fromCompany", &change.FromCompany, &c.FromCompany},
	} {
		if *field.to = unblank(*field.sent); c.Cleared.Null(field.name) {
			*field.to = new(string)
		}
	}
	if c.Cleared.Null("port") {
		change.Port = new(int)
	}
	if c.Cleared.Null("security") {
		change.Security = new(mail.SecuritySTARTTLS)
	}
	change.Triggers = c.Triggers.named()
	return change
}

// named returns the triggers that were sent under their names.
func (t *MailTriggersData) named() map[string]bool {
	sent := map[string]bool{}
	if t == nil {
		return sent
	}
	for name, on := range map[string]*bool{
		mail.TriggerMention: t.Mention, mail.TriggerReply: t.Reply,
		mail.TriggerAssignment: t.Assignment, mail.TriggerApproval: t.Approval, mail.TriggerInvitation: t.Invitation,
	} {
		if on != nil {
			sent[name] = *on
		}
	}
	return sent
}

// Update changes settings.
func (e *EmailSettings) Update(ctx context.Context, req *UpdateEmailSettings) (*rpc.Success[EmailSettingsView], error) {
	caller := rpc.CallerFrom(ctx)
	after, err := e.store.Update(ctx, caller.WorkspaceID, caller, req.change())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("E-mail settings updated.", viewEmailSettings(after)), nil
}

// ConfirmSender is the request of emailconfig/confirm.
type ConfirmSender struct {
	Code string `json:"code" pattern:"^[0-9]{6}$" doc:"the six digits of the mail that was sent to fromEmail"`
}

// Confirm confirms the address of the sender.
func (e *EmailSettings) Confirm(ctx context.Context, req *ConfirmSender) (*rpc.Success[EmailSettingsView], error) {
	caller := rpc.CallerFrom(ctx)
	after, err := e.store.ConfirmSender(ctx, caller.WorkspaceID, caller, req.Code)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Sender confirmed.", viewEmailSettings(after)), nil
}
