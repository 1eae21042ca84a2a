package mail

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// SettingsChange is what an update sends; nil leaves a setting, an empty text or a
// zero clears it. Triggers are those named, with whether they shall be on.
type SettingsChange struct {
	Enabled                *bool
	Relay, Host, Security  *string
	Port                   *int
	Username, Password     *string
	FromEmail, FromCompany *string
	Triggers               map[string]bool
}

const configField = "emailServiceConfig"

// fields are the names of what changes, for the audit row.
func (c SettingsChange) fields() []string {
	return workspace.SentNames(
		workspace.Sent("useEmailService", c.Enabled != nil),
		workspace.Sent(configField+".type", c.Relay != nil),
		workspace.Sent(configField+".host", c.Host != nil),
		workspace.Sent(configField+".port", c.Port != nil),
		workspace.Sent(configField+".security", c.Security != nil),
		workspace.Sent(configField+".username", c.Username != nil),
		workspace.Sent(configField+".password", c.Password != nil),
		workspace.Sent(configField+".fromEmail", c.FromEmail != nil),
		workspace.Sent(configField+".fromCompany", c.FromCompany != nil),
		workspace.Sent(configField+".triggers", len(c.Triggers) > 0),
	)
}

// applied returns the state with the change, except for a new password. A password is
// dropped when the host changes or the username is cleared.
func (c SettingsChange) applied(before *Settings) *Settings {
	after := *before
	pg.SetIfSent(&after.Enabled, c.Enabled)
	pg.SetIfSent(&after.Relay, c.Relay)
	pg.SetIfSent(&after.Host, c.Host)
	pg.SetIfSent(&after.Security, c.Security)
	pg.SetIfSent(&after.Username, c.Username)
	pg.SetIfSent(&after.FromEmail, c.FromEmail)
	pg.SetIfSent(&after.FromCompany, c.FromCompany)
	if c.Port != nil {
		after.Port, after.portSet = cmp.Or(*c.Port, defaultMailPort), *c.Port != 0
	}
	cleared := c.Password != nil && *c.Password == ""
	if cleared && c.Username == nil {
		after.Username = ""
	}
	if cleared || after.Host != before.Host || after.Username == "" {
		after.passwordSealed = nil
	}
	after.Off = pg.SwitchedOff(before.Off, c.Triggers)
	return &after
}

func configIssue(code, field, message string) fault.Issue {
	return fault.Issue{Code: code, Path: []string{configField, field}, Message: message}
}

// loginIssues refuses a new username or password after which one of the two is
// there without the other.
func (c SettingsChange) loginIssues(after *Settings) []fault.Issue {
	switch {
	case c.Username != nil && after.Username != "" && !after.HasPassword():
		return []fault.Issue{configIssue(shape.Required, "password", "username and password belong together")}
	case c.Password != nil && *c.Password != "" && after.Username == "":
		return []fault.Issue{configIssue(shape.Required, "username", "username and password belong together")}
	default:
		return nil
	}
}

// relayIssues refuses a relay of the workspace's own that lacks its host, its port or
// the address of the sender.
func (s *Settings) relayIssues() []fault.Issue {
	var issues []fault.Issue
	if s.Relay != RelayWorkspace {
		return nil
	}
	for _, wanted := range []struct {
		field string
		there bool
	}{{"host", s.Host != ""}, {"port", s.portSet}, {"fromEmail", s.FromEmail != ""}} {
		if !wanted.there {
			issues = append(issues, configIssue(shape.Required, wanted.field, "is required for the type smtp"))
		}
	}
	return issues
}

// What is only for hosts that the operator has listed: with any other, whoever makes a workspace
// could send mails in anybody's name.
var (
	unlisted  = configIssue(shape.Conflict, "security", "none is only for hosts that the operator has listed")
	wrongPort = configIssue(shape.Conflict, "port", "must be 465, 587 or 2525; others are only for hosts that the operator has listed")
	noLogin   = configIssue(shape.Required, "username", "a login is required, except at hosts that the operator has listed")
)

// hostIssues checks the host that was sent, and what was sent for it.
func (s *SettingsStore) hostIssues(ctx context.Context, after *Settings, c SettingsChange) []fault.Issue {
	sent := c.Host != nil || c.Port != nil || c.Security != nil || c.Relay != nil || c.Username != nil || c.Password != nil
	open := c.Security != nil && after.Security == SecurityNone
	if !sent || after.Host == "" && !open {
		return nil
	}
	if after.Host == "" {
		return []fault.Issue{unlisted}
	}
	var issues []fault.Issue
	switch err := s.hosts.CheckHost(ctx, after.Host, after.Port); {
	case guard.RefusedPort(err):
		issues = append(issues, wrongPort)
	case err != nil:
		return []fault.Issue{configIssue("address-refused", "host", "this host may not be connected to: "+err.Error())}
	}
	return append(issues, s.unlistedIssues(after)...)
}

// unlistedIssues refuses what is only for hosts that the operator has listed.
func (s *SettingsStore) unlistedIssues(after *Settings) (issues []fault.Issue) {
	if s.hosts.Listed(after.Host, after.Port) {
		return nil
	}
	if after.Security == SecurityNone {
		issues = append(issues, unlisted)
	}
	if after.Relay == RelayWorkspace && after.Username == "" {
		issues = append(issues, noLogin)
	}
	return issues
}
