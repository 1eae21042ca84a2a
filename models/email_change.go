package models

import (
	"cmp"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
)

// MailChange is what an update sends; nil leaves a setting, an empty text or a
// zero clears it. Triggers are those named, with whether they shall be on.
type MailChange struct {
	Enabled                *bool
	Relay, Host, Security  *string
	Port                   *int
	Username, Password     *string
	FromEmail, FromCompany *string
	Triggers               map[string]bool
}

const mailConfig = "emailServiceConfig"

// fields are the names of what changes, for the audit row.
func (c MailChange) fields() []string {
	return namesOf(
		sentField("useEmailService", c.Enabled != nil),
		sentField(mailConfig + ".type", c.Relay != nil),
		sentField(mailConfig + ".host", c.Host != nil),
		sentField(mailConfig + ".port", c.Port != nil),
		sentField(mailConfig + ".security", c.Security != nil),
		sentField(mailConfig + ".username", c.Username != nil),
		sentField(mailConfig + ".password", c.Password != nil),
		sentField(mailConfig + ".fromEmail", c.FromEmail != nil),
		sentField(mailConfig + ".fromCompany", c.FromCompany != nil),
		sentField(mailConfig + ".triggers", len(c.Triggers) > 0),
	)
}

// applied gives the state with the change, but for a new password. A password is
// never taken along to another host, and goes with its username.
func (c MailChange) applied(before *MailState) *MailState {
	after := *before
	set(&after.Enabled, c.Enabled)
	set(&after.Relay, c.Relay)
	set(&after.Host, c.Host)
	set(&after.Security, c.Security)
	set(&after.Username, c.Username)
	set(&after.FromEmail, c.FromEmail)
	set(&after.FromCompany, c.FromCompany)
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
	after.Off = c.switchedOff(before.Off)
	return &after
}

// switchedOff are the triggers that are off after the change, sorted.
func (c MailChange) switchedOff(before []string) []string {
	off := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return c.Triggers[name] })
	for name, on := range c.Triggers {
		if !on && !slices.Contains(off, name) {
			off = append(off, name)
		}
	}
	slices.Sort(off)
	return append([]string{}, off...)
}

func configIssue(code, field, message string) fault.Issue {
	return fault.Issue{Code: code, Path: []string{mailConfig, field}, Message: message}
}

// loginIssues: who sends one of username and password has both in the end, or
// neither.
func (c MailChange) loginIssues(after *MailState) []fault.Issue {
	switch {
	case c.Username != nil && after.Username != "" && !after.HasPassword():
		return []fault.Issue{configIssue(shape.Required, "password", "username and password belong together")}
	case c.Password != nil && *c.Password != "" && after.Username == "":
		return []fault.Issue{configIssue(shape.Required, "username", "username and password belong together")}
	default:
		return nil
	}
}

// relayIssues: a relay of the workspace's own wants an address to go to and one
// to come from.
func (s *MailState) relayIssues() []fault.Issue {
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

var unlisted = configIssue(shape.Conflict, "security", "none is only for hosts that the operator has listed")

// hostIssues judges the host that was sent, and what was sent for it.
func (s *EmailSettings) hostIssues(after *MailState, c MailChange) []fault.Issue {
	sent := c.Host != nil || c.Port != nil || c.Security != nil || c.Relay != nil
	open := c.Security != nil && after.Security == SecurityNone
	if !sent || after.Host == "" && !open {
		return nil
	}
	if after.Host == "" {
		return []fault.Issue{unlisted}
	}
	if err := s.hosts.CheckHost(after.Host, after.Port); err != nil {
		return []fault.Issue{configIssue("address-refused", "host", "this host may not be connected to: "+err.Error())}
	}
	if after.Security == SecurityNone && !s.hosts.Listed(after.Host, after.Port) {
		return []fault.Issue{unlisted}
	}
	return nil
}
