package workflow

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/inbound"
	"github.com/redline-svc/redline/internal/shape"
	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/workspace"
)

type inboundTriggers interface {
	Inbound(ctx context.Context, apiKeyID, definitionID, triggerID string) (*definitions.InboundTrigger, error)
}

type inboundDispatches interface {
	Known(ctx context.Context, workspaceID string, d execution.Dispatch) (execution.Dispatched, bool, error)
	Dispatch(ctx context.Context, workspaceID string, d execution.Dispatch) (execution.Dispatched, error)
}

// Inbound are the requests from outside that start executions. Whoever knows the
// secret of a trigger may send them.
type Inbound struct {
	triggers   inboundTriggers
	executions inboundDispatches
}

// NewInbound makes the operation.
func NewInbound(triggers inboundTriggers, executions inboundDispatches) *Inbound {
	return &Inbound{triggers, executions}
}

// InboundAccepted says which execution answers to the request.
type InboundAccepted struct {
	OK           bool   `json:"ok"`
	Code         string `json:"code" enum:"accepted"`
	ExecutionID  string `json:"executionId"`
	Deduplicated bool   `json:"deduplicated"`
}

// Trigger starts an execution of the definition whose trigger the request names and
// proves itself by, once for each id of the sender. It looks at the trigger, then at
// the signature, and only then into the body.
func (i *Inbound) Trigger(ctx context.Context, r *rpc.RawRequest) (*rpc.RawAnswer, error) {
	t, proof, err := i.prove(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := r.Admit(ctx, workspace.Caller{WorkspaceID: t.WorkspaceID, APIKeyID: t.APIKeyID}); err != nil {
		return nil, err
	}
	if t.Suspended {
		return &rpc.RawAnswer{Code: http.StatusForbidden, Body: rpc.RawRefusal{Code: "suspended"}}, nil
	}
	delivery, err := inbound.Read(&t.Trigger, proof, r.Header, r.Body)
	if err != nil {
		return nil, fault.InvalidArgument(fault.Issue{Code: shape.Format, Message: err.Error()})
	}
	d := execution.Dispatch{
		APIKeyID: t.APIKeyID, DefinitionID: t.DefinitionID, KeySpace: contract.KeysOfTriggers, Key: delivery.Key, Signature: delivery.Signature,
		TriggerContext: delivery.Context, OrganizationID: t.OrganizationID, DocumentID: t.DocumentID,
	}
	known, found, err := i.executions.Known(ctx, t.WorkspaceID, d)
	switch {
	case err != nil || found:
		return accepted(known, err)
	case !delivery.Passes(&t.Trigger):
		return &rpc.RawAnswer{Code: http.StatusOK, Body: rpc.RawRefusal{Code: "event-ignored"}}, nil
	case !delivery.Fits():
		return &rpc.RawAnswer{Code: http.StatusRequestEntityTooLarge, Body: rpc.RawRefusal{Code: "trigger-context-too-large"}}, nil
	}
	return accepted(i.dispatch(ctx, t.WorkspaceID, d))
}

// dispatch starts the execution. That its scope is another one means that the
// definition or its document has changed since it was read: sent again, it fits.
func (i *Inbound) dispatch(ctx context.Context, workspaceID string, d execution.Dispatch) (execution.Dispatched, error) {
	done, err := i.executions.Dispatch(ctx, workspaceID, d)
	if fault.Is(err, fault.StatusInvalidArgument) {
		err = fault.Unavailable(err)
	}
	return done, err
}

func accepted(done execution.Dispatched, err error) (*rpc.RawAnswer, error) {
	if err != nil {
		return nil, err
	}
	return &rpc.RawAnswer{Code: http.StatusOK, Body: InboundAccepted{true, "accepted", done.ExecutionID, done.Deduplicated}}, nil
}

// maxName is how long an id may be, in bytes; a longer one is of nothing.
const maxName = 200

// namesSomething reports whether there can be something of that id: Postgres takes no
// other texts either.
func namesSomething(id string) bool {
	return id != "" && len(id) <= maxName && utf8.ValidString(id) && !strings.ContainsRune(id, 0)
}

// prove finds the trigger that a request names and holds the request against it. The
// error is UNAUTHENTICATED, whatever is wrong, and as much is computed for an unknown
// trigger as for a known one.
func (i *Inbound) prove(ctx context.Context, r *rpc.RawRequest) (*definitions.InboundTrigger, inbound.Proof, error) {
	apiKey := cmp.Or(r.Header.Get("X-Svc-Api-Key"), r.Query.Get("apiKey"))
	names := inbound.Names{DefinitionID: r.Query.Get("definitionId"), TriggerID: r.Query.Get("triggerId")}
	fromBody := names.DefinitionID == "" || names.TriggerID == ""
	if fromBody {
		sent := inbound.Named(r.Body)
		names = inbound.Names{DefinitionID: cmp.Or(names.DefinitionID, sent.DefinitionID), TriggerID: cmp.Or(names.TriggerID, sent.TriggerID)}
	}
	t, err := i.find(ctx, apiKey, names)
	if fault.Is(err, fault.StatusUnauthenticated) {
		t = nobodysTrigger
	} else if err != nil {
		return nil, inbound.Proof{}, err
	}
	proof, proved := inbound.Proved(t.Trigger.Inbound, t.Secret, r.Header, r.Body)
	if !proved || t == nobodysTrigger || (fromBody && t.Trigger.Inbound.Provider != definition.ProviderSvc) {
		return nil, inbound.Proof{}, fault.Unauthenticated()
	}
	return t, proof, nil
}

// nobodysTrigger is what a request is held against that names no trigger.
var nobodysTrigger = &definitions.InboundTrigger{Trigger: definition.Trigger{Inbound: &definition.Inbound{
	SignatureHeader: "x-svc-signature", SignatureAlgorithm: "sha256",
}}}

func (i *Inbound) find(ctx context.Context, apiKey string, names inbound.Names) (*definitions.InboundTrigger, error) {
	for _, name := range []string{apiKey, names.DefinitionID, names.TriggerID} {
		if !namesSomething(name) {
			return nil, fault.Unauthenticated()
		}
	}
	return i.triggers.Inbound(ctx, apiKey, names.DefinitionID, names.TriggerID)
}
