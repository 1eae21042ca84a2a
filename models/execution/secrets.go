package execution

import (
	"context"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
)

// sealedRow is the part of a new execution that holds secrets.
type sealedRow struct {
	trigger any
	auth    []byte
	url     *string
	secret  []byte
}

// sealedRow takes webhookAuth out of the trigger context and fixes the
// receiver: the dispatch's own pair, else the pinned version's.
func (e *Executions) sealedRow(ctx context.Context, tx pg.RowQueryer, s *state, d Dispatch, p *pinnedVersion) (sealedRow, error) {
	var row sealedRow
	trigger, auth := definition.SplitAuth(d.TriggerContext)
	row.trigger, s.execution.Input = pg.JSONOrNil(trigger), trigger
	executionID := s.execution.ExecutionID
	if auth != nil {
		row.auth = e.box.Seal(authBinding(s.workspaceID, executionID), auth)
	}
	r := d.Receiver
	if r == nil && p.receiverURL != nil {
		plain, err := e.box.Open(secret.Binding{
			Table: "definition_versions", Column: "receiver_secret", Row: p.ref, Workspace: s.workspaceID,
		}, p.receiverSecret)
		if err != nil {
			return row, fault.Internal(err)
		}
		r = &Receiver{URL: *p.receiverURL, Origin: guard.Origin(*p.receiverURL, guard.Receiver), Secret: string(plain), EventTypes: p.eventTypes}
	}
	if r == nil {
		return row, nil
	}
	destination, err := delivery.DestinationFor(ctx, tx, s.workspaceID, r.Origin)
	if err != nil {
		return row, err
	}
	s.destination, s.origin, s.eventTypes = &destination, &r.Origin, r.EventTypes
	row.url = &r.URL
	row.secret = e.box.Seal(delivery.ReceiverSecretBinding(s.workspaceID, executionID), []byte(r.Secret))
	return row, nil
}
