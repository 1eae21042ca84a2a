package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

type emailView struct {
	UseEmailService bool `json:"useEmailService"`
	Config          struct {
		Type        string          `json:"type"`
		Host        string          `json:"host"`
		Port        int             `json:"port"`
		Security    string          `json:"security"`
		Username    string          `json:"username"`
		HasPassword bool            `json:"hasPassword"`
		FromEmail   string          `json:"fromEmail"`
		FromCompany string          `json:"fromCompany"`
		Triggers    map[string]bool `json:"triggers"`
	} `json:"emailServiceConfig"`
	LastFailure *struct {
		At    string `json:"at"`
		Class string `json:"class"`
	} `json:"lastFailure"`
}

const (
	getEmails    = "workspace/emailconfig/get"
	updateEmails = "workspace/emailconfig/update"
)

func (s *scene) emails() emailView {
	s.t.Helper()
	var found client.Wrapped[emailView]
	s.call(getEmails, map[string]any{}, &found)
	require.Equal(s.t, "success", found.Status)
	return found.Data
}

// mailBy changes the configuration of the e-mail service and switches it on.
func (s *scene) mailBy(config map[string]any) emailView {
	s.t.Helper()
	var after client.Wrapped[emailView]
	s.call(updateEmails, map[string]any{"useEmailService": true, "emailServiceConfig": config}, &after)
	require.True(s.t, after.Data.UseEmailService)
	return after.Data
}

// ownHost is a mail host of the story, and the configuration that leads to it.
func (s *scene) ownHost() (*receiver.MailHost, map[string]any) {
	s.t.Helper()
	host := receiver.NewMailHost()
	s.t.Cleanup(host.Close)
	return host, map[string]any{
		"type": "smtp", "host": host.Address, "port": receiver.MailPort, "security": "none", "fromEmail": "desk@stories.example.com",
	}
}

func TestEmailSettingsGet_2_ARefusedLoginIsShown(t *testing.T) {
	s := begin(t)
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	host.RefuseLogins()
	config["username"], config["password"] = "desk", "wrong"
	s.mailBy(config)
	s.mention("bob", mailbox())
	eventually(t, "the refused login is told", func() bool { return s.emails().LastFailure != nil })
	failure := s.emails().LastFailure
	require.Equal(t, "auth", failure.Class)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, failure.At)
	require.Empty(t, host.Letters())
}

// What waits when the service is switched off is not sent when it is on again.
func TestEmailSettingsUpdate_5_SwitchingOffStopsWhatWaits(t *testing.T) {
	s := begin(t)
	rows := s.rows()
	host, config := s.ownHost()
	s.mailBy(config)
	waits, later := mailbox(), mailbox()
	s.mention("bob", waits)
	eventually(t, "the host was not reached", func() bool { return s.emails().LastFailure != nil })
	require.Equal(t, "unreachable", s.emails().LastFailure.Class)
	waiting := func() (n int) {
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM deliveries WHERE workspace_id = $1 AND state IN ('pending', 'sending')`, s.workspace.ID).Scan(&n))
		return n
	}
	require.Equal(t, 1, waiting(), "for its next try, in a minute")
	s.call(updateEmails, map[string]any{"useEmailService": false}, nil)
	require.NoError(t, host.Open())
	s.mention("eve", mailbox())
	eventually(t, "nothing is left that could be sent later", func() bool { return waiting() == 0 })
	s.mailBy(map[string]any{})
	s.mention("carl", later)
	eventually(t, "the later mail is there", func() bool { return len(host.Letters()) > 0 })
	require.Equal(t, later, host.Letters()[0].To)
	require.Len(t, host.Letters(), 1)
}

// A host may not cost a worker its time: a login that would take days is refused,
// the mail ends, and the next one goes through.
func TestMails_AHostThatWantsACostlyLogin(t *testing.T) {
	s := begin(t)
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	host.WantCostlyLogins(true)
	config["username"], config["password"] = "user", "right"
	s.mailBy(config)
	s.mention("bob", mailbox())
	eventually(t, "the host is refused", func() bool { return s.emails().LastFailure != nil })
	require.Equal(t, "refused-by-policy", s.emails().LastFailure.Class)
	require.Empty(t, host.Letters())
	host.WantCostlyLogins(false)
	to := mailbox()
	s.mention("bob", to)
	eventually(t, "the next mail is handed over", func() bool { return len(host.Letters()) > 0 })
	require.Equal(t, to, host.Letters()[0].To, "the first one has ended")
}
