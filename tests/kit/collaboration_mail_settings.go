package kit

import (
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// EmailView is the settings of e-mail of a workspace, and the last mail that could not be
// sent.
type EmailView struct {
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

// Emails returns the settings of e-mail of the workspace.
func Emails(env *Env) EmailView {
	env.T.Helper()
	var found client.Wrapped[EmailView]
	env.Call(client.GetEmails, map[string]any{}, &found)
	require.Equal(env.T, "success", found.Status)
	return found.Data
}

// MailBy changes the configuration of the e-mail service, switches it on and returns the
// settings.
func MailBy(env *Env, config map[string]any) EmailView {
	env.T.Helper()
	var after client.Wrapped[EmailView]
	env.Call(client.UpdateEmails, map[string]any{"useEmailService": true, "emailServiceConfig": config}, &after)
	require.True(env.T, after.Data.UseEmailService)
	return after.Data
}

// OwnHost starts a mail host of the test and returns it with the configuration that leads
// to it.
func OwnHost(env *Env) (*receiver.MailHost, map[string]any) {
	env.T.Helper()
	host := receiver.NewMailHost()
	env.T.Cleanup(host.Close)
	return host, map[string]any{
		"type": "smtp", "host": host.Address, "port": receiver.MailPort, "security": "none", "fromEmail": "desk@tests.example.com",
	}
}
