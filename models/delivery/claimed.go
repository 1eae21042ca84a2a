package delivery

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/secret"
)

// scanEvent reads claimedEvents. A receiver's secret that does not open is left
// out: the sender logs it and the row stays held.
func (d *Deliveries) scanEvent(ctx context.Context, row pgx.CollectableRow, r *Claimed) error {
	e := &r.Event
	var sealed, data []byte
	err := row.Scan(&r.ID, &r.WorkspaceID, &r.Origin, &r.Slow, &r.Attempt, &r.BegunAt, &r.URL, &sealed, &e.Event, &e.EventID, &e.ExecutionID,
		&e.DefinitionID, &e.DefinitionVersion, &e.StepID, &e.Status, &e.Seq, &e.At, &e.CorrelationID, &data)
	if err != nil {
		return err
	}
	e.Data = data
	r.Secret, err = d.box.Open(ReceiverSecretBinding(r.WorkspaceID, e.ExecutionID), sealed)
	if err != nil {
		slog.ErrorContext(ctx, "a receiver's secret does not open", "execution_id", e.ExecutionID, "error", err)
	}
	return nil
}

// scanMessage reads claimedMessages.
func (d *Deliveries) scanMessage(_ context.Context, row pgx.CollectableRow, r *Claimed) error {
	m := &ClaimedMessage{}
	var created *time.Time
	err := row.Scan(&r.ID, &r.WorkspaceID, &r.Origin, &r.Slow, &r.Attempt, &r.BegunAt, &m.Test, &r.MailID, &m.ID, &m.Event, &created, &m.Body)
	if err == nil && m.ID != "" {
		m.CreatedAt = *created
		r.Message = m
	}
	return err
}

// endpointAddress is what a claim reads of an endpoint beside its rows: where its
// messages go now, and its valid secrets, newest first, with their ids.
type endpointAddress struct {
	url    string
	ids    []string
	sealed [][]byte
}

// address gives every row the endpoint's URL and secrets. A secret that does not
// open is left out: with none left the sender logs it and the rows stay held.
func (d *Deliveries) address(ctx context.Context, rows []*Claimed, to endpointAddress) {
	if len(rows) == 0 {
		return
	}
	var secrets [][]byte
	for i, sealed := range to.sealed {
		plain, err := d.box.Open(endpointSecretBinding(rows[0].WorkspaceID, to.ids[i]), sealed)
		if err != nil {
			slog.ErrorContext(ctx, "an endpoint's secret does not open", "endpoint_id", rows[0].DestinationID, "error", err)
			continue
		}
		secrets = append(secrets, plain)
	}
	for _, row := range rows {
		row.URL, row.Message.Secrets = to.url, secrets
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
