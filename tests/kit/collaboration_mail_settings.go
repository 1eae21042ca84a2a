package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// Emails returns the settings of e-mail of the workspace.
func Emails(env *Env) redline.EmailSettings {
	env.T.Helper()
	var found redline.EmailSettingsResult
	env.Call(client.GetEmails, map[string]any{}, &found)
	require.Equal(env.T, redline.EmailSettingsResultStatusSuccess, found.Status)
	return found.Data
}

// MailBy changes the configuration of the e-mail service, switches it on and returns the
// settings.
func MailBy(env *Env, config map[string]any) redline.EmailSettings {
	env.T.Helper()
	var after redline.EmailSettingsResult
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
