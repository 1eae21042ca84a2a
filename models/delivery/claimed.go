package delivery

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/secret"
)

// scanClaimed reads a row of claimRows, of whatever kind. A receiver's secret that does
// not open is left out: the sender logs it and the row stays locked.
func (d *Deliveries) scanClaimed(ctx context.Context, row pgx.CollectableRow, r *Claimed) error {
	e, m := &r.Event, &ClaimedMessage{}
	var created, at *time.Time
	var receiver string
	var sealed, data []byte
	err := row.Scan(&r.ID, &r.WorkspaceID, &r.Origin, &r.Attempt, &r.BegunAt, &r.Expired, &m.Test, &r.MailID, &r.TraceParent, &m.ID, &m.Event, &created, &m.Body,
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

// endpointSecrets are the valid secrets of an endpoint, newest first, with their ids.
type endpointSecrets struct {
	ids    []string
	sealed [][]byte
}

// sign gives every row the endpoint's secrets. One that does not open is left out: with
// none left the sender logs it and the rows stay locked.
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
	for _, row := range rows {
		row.Message.Secrets = secrets
	}
}

// endpointSecretBinding is where an endpoint's secret is sealed.
func endpointSecretBinding(workspaceID, secretRow string) secret.Binding {
	return secret.Binding{Table: "endpoint_secrets", Column: "secret_sealed", Row: secretRow, Workspace: workspaceID}
}

// ReceiverSecretBinding is where the secret of an execution's receiver is sealed.
func ReceiverSecretBinding(workspaceID, executionID string) secret.Binding {
	return secret.Binding{Table: "executions", Column: "receiver_secret", Row: executionID, Workspace: workspaceID}
}
