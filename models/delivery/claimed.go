package delivery

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/secret"
)

// scanClaimed reads a row of claimRows, of whatever kind. A receiver's secret that does
// not open is left out: the sender logs it and the row stays locked.
func (d *Deliveries) scanClaimed(ctx context.Context, row pgx.CollectableRow, r *Claimed) error {
	e, m := &r.Event, &ClaimedMessage{}
	var created, at *time.Time
	var receiver string
	var sealed, data []byte
	err := row.Scan(&r.ID, &r.WorkspaceID, &r.Origin, &r.Attempt, &r.BegunAt, &r.Expired, &m.Test, &r.MailID, &r.TraceParent, &m.ID, &m.Event, &created, &m.Body, &m.plain,
		&receiver, &sealed, &e.Event, &e.EventID, &e.ExecutionID, &e.DefinitionID, &e.DefinitionVersion, &e.StepID, &e.Status, &e.Seq, &at, &e.CorrelationID, &data)
	switch {
	case err != nil || r.MailID != "":
		return err
	case m.ID != "":
		m.CreatedAt = *created
		r.Message = m
		return nil
	}
	r.URL, e.At, e.Data = receiver, *at, data
	r.Secret, err = d.box.Open(ReceiverSecretBinding(r.WorkspaceID, e.ExecutionID), sealed)
	if err != nil {
		slog.ErrorContext(ctx, "a receiver's secret does not open", "execution_id", e.ExecutionID, "error", err)
	}
	return nil
}

// endpointSecrets are the valid secrets of an endpoint, newest first, with their ids, and the token
// of the simple receiver.
type endpointSecrets struct {
	ids    []string
	sealed [][]byte
	token  []byte
}

// sign gives every row the endpoint's secrets and token. One that does not open is left out: with
// no secret left the sender logs it and the rows stay locked.
func (d *Deliveries) sign(ctx context.Context, rows []*Claimed, with endpointSecrets) {
	if len(rows) == 0 {
		return
	}
	var secrets [][]byte
	for i, sealed := range with.sealed {
		plain, err := d.box.Open(endpointSecretBinding(rows[0].WorkspaceID, with.ids[i]), sealed)
		if err != nil {
			slog.ErrorContext(ctx, "an endpoint's secret does not open", "endpoint_id", rows[0].DestinationID, "error", err)
			continue
		}
		secrets = append(secrets, plain)
	}
	var token []byte
	if with.token != nil {
		var err error
		if token, err = d.box.Open(endpointTokenBinding(rows[0].WorkspaceID, rows[0].DestinationID), with.token); err != nil {
			slog.ErrorContext(ctx, "an endpoint's token does not open", "endpoint_id", rows[0].DestinationID, "error", err)
			secrets = nil
		}
	}
	for _, row := range rows {
		row.Message.Secrets, row.Message.Token = secrets, string(token)
		row.Message.simplify(ctx)
	}
}

// simplify makes what the simple receiver gets of a body that is in the form for all endpoints. One of
// which nothing can be made is as one that is gone.
func (m *ClaimedMessage) simplify(ctx context.Context) {
	if !m.plain || m.Body == nil {
		return
	}
	var err error
	if m.Body, err = envelope.Simple(m.Body); err != nil {
		slog.ErrorContext(ctx, "nothing can be made of a message for the simple receiver", "message_id", m.ID, "error", err)
		m.Body = nil
	}
}

// endpointTokenBinding is where the token of a simple receiver is sealed.
func endpointTokenBinding(workspaceID, endpointID string) secret.Binding {
	return secret.Binding{Table: "endpoints", Column: "token_sealed", Row: endpointID, Workspace: workspaceID}
}

// endpointSecretBinding is where an endpoint's secret is sealed.
func endpointSecretBinding(workspaceID, secretRow string) secret.Binding {
	return secret.Binding{Table: "endpoint_secrets", Column: "secret_sealed", Row: secretRow, Workspace: workspaceID}
}

// ReceiverSecretBinding is where the secret of an execution's receiver is sealed.
func ReceiverSecretBinding(workspaceID, executionID string) secret.Binding {
	return secret.Binding{Table: "executions", Column: "receiver_secret", Row: executionID, Workspace: workspaceID}
}
