package mail_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	mailing "github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
)

// stepMail is the mail of a step to the recipient at a position.
func stepMail(position int) mail.StepMail {
	return mail.StepMail{
		WorkspaceID: modelstest.Workspace, ExecutionID: "exec_1", StepID: "step_1", Position: position, To: "bob@example.com",
		At: time.Unix(1_767_225_600, 0), Content: mailing.Content{Subject: "s", Text: "t", HTML: "h"},
	}
}

func (p *outgoing) prepareStep(position int) *mail.Outgoing {
	p.T.Helper()
	out, err := p.mails.PrepareStep(p.T.Context(), stepMail(position))
	require.NoError(p.T, err)
	return out
}

func TestAMailOfAStepGoesByTheSettings(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	out := p.prepareStep(0)
	require.Equal(t, []string{delivery.MailDisabled, string(webhook.MailsDisabled)}, []string{out.Result, string(out.Class)}, "never switched on")
	p.on(own())
	p.on(mail.SettingsChange{Triggers: map[string]bool{mail.TriggerMention: false, mail.TriggerApproval: false}})
	out = p.prepareStep(0)
	require.Empty(t, out.Result, "triggers do not apply")
	require.Equal(t, []string{"mail.example.com", "user", "password"}, []string{out.Host.Name, out.Host.Username, out.Host.Password})
	require.Equal(t, "desk@example.com", out.Message.From)
	require.Equal(t, "Desk", out.Message.FromName)
	require.Equal(t, "bob@example.com", out.Message.To)
	require.Equal(t, mailing.Content{Subject: "s", Text: "t", HTML: "h"}, out.Message.Content)
	require.Equal(t, out.Message.ID, p.prepareStep(0).Message.ID, "the same in every try")
	require.NotEqual(t, out.Message.ID, p.prepareStep(1).Message.ID)
	require.Empty(t, p.Rows(`SELECT step_id FROM step_mails WHERE settled_at IS NOT NULL`), "nothing is known of anybody yet")
}

func TestARecipientOfAStepCountsOnceAtTheRelay(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.on(mail.SettingsChange{})
	for range 2 { // a second try takes no second slot
		for position := range freePerDay {
			out := p.prepareStep(position)
			require.Empty(t, out.Result)
			require.True(t, out.Host.Operators)
		}
		require.Equal(t, mail.ClassRelayQuota, p.prepareStep(freePerDay).Class)
	}
	p.Exec(`UPDATE workspaces SET plan = 'paid'`)
	require.Empty(t, p.prepareStep(freePerDay).Result)
}

func TestWhatBecameOfRecipientsIsKeptByStep(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.on(mail.SettingsChange{})
	require.Empty(t, p.prepareStep(2).Result, "counted at the relay")
	settled, err := p.mails.Settled(t.Context(), modelstest.Workspace, "exec_1", "step_1")
	require.NoError(t, err)
	require.Empty(t, settled, "that it was counted is not yet an end")
	for position, class := range map[int]webhook.Class{2: webhook.OK, 5: "recipient-refused"} {
		require.NoError(t, p.mails.Settle(t.Context(), stepMail(position), class))
	}
	settled, err = p.mails.Settled(t.Context(), modelstest.Workspace, "exec_1", "step_1")
	require.NoError(t, err)
	require.Equal(t, map[int]webhook.Class{2: webhook.OK, 5: "recipient-refused"}, settled)
	for _, other := range [][3]string{{"ws_other", "exec_1", "step_1"}, {modelstest.Workspace, "exec_2", "step_1"}, {modelstest.Workspace, "exec_1", "step_2"}} {
		settled, err = p.mails.Settled(t.Context(), other[0], other[1], other[2])
		require.NoError(t, err)
		require.Empty(t, settled)
	}
}

func TestTheTurnOfAMailOfAStep(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	wait, err := p.mails.Turn(t.Context(), modelstest.Workspace)
	require.NoError(t, err)
	require.Zero(t, wait, "the first mail of the workspace")
	p.Exec(`UPDATE destinations SET paced_until = clock_timestamp() + interval '1 hour'`)
	wait, err = p.mails.Turn(t.Context(), modelstest.Workspace)
	require.NoError(t, err)
	require.Greater(t, wait.Minutes(), 59.0)
}
