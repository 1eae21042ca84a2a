package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	redline "github.com/redline-svc/redline/clients/go"
)

// recent is how many attempts show how an endpoint is, and how many bodies of messages the interface
// gives at once.
const recent = 20

// endpointRow is an endpoint with how its last attempts ended.
type endpointRow struct {
	redline.Endpoint
	Attempts []redline.EndpointAttempt
	Failed   int
}

// Health is a word for how it is.
func (e endpointRow) Health() string {
	switch {
	case e.Disabled:
		return "disabled"
	case len(e.Attempts) == 0:
		return "not called yet"
	case e.Failed == len(e.Attempts):
		return "failed"
	case e.Failed > 0:
		return "failing at times"
	default:
		return "healthy"
	}
}

// neverOn reports whether a call was refused because the workspace has never switched webhooks on.
func neverOn(err error) bool {
	refused := redline.AsError(err)
	return refused != nil && refused.Reason == "webhooks-not-configured"
}

// readEndpoints reads a page of endpoints and, of each, its last attempts.
func readEndpoints(ctx context.Context, calls *redline.Client, iterator *string, most int64) ([]endpointRow, string, error) {
	found, err := calls.Endpoints.Get(ctx, redline.ListEndpointsRequest{Iterator: iterator, Limit: &most})
	if err != nil {
		return nil, "", err
	}
	rows, err := readAttempts(ctx, calls, found.Endpoints)
	return rows, textOf(found.Iterator), err
}

// readAttempts reads the last attempts of each endpoint.
func readAttempts(ctx context.Context, calls *redline.Client, endpoints []redline.Endpoint) ([]endpointRow, error) {
	rows := make([]endpointRow, len(endpoints))
	group, ctx := errgroup.WithContext(ctx)
	for i, endpoint := range endpoints {
		group.Go(func() error {
			attempts, err := calls.Attempts.Get(ctx, redline.ListAttemptsRequest{EndpointID: &endpoint.ID, Limit: new(int64(recent))})
			rows[i] = endpointRow{Endpoint: endpoint, Attempts: attempts.Attempts}
			for _, attempt := range attempts.Attempts {
				if attempt.Status == redline.EndpointAttemptStatusFailed {
					rows[i].Failed++
				}
			}
			return err
		})
	}
	return rows, group.Wait()
}

// endpointsView is a page of endpoints; Off means that the workspace has never switched webhooks on.
type endpointsView struct {
	Items      []endpointRow
	Next       string
	Off        bool
	EventTypes []redline.EventType
}

// endpointRows is how many endpoints a page has; each costs a call.
const endpointRows = 20

func (c *Console) endpoints(v *visit) (*page, error) {
	items, next, err := readEndpoints(v.ctx, v.calls, v.optional("cursor"), endpointRows)
	view := &endpointsView{Items: items, Off: neverOn(err)}
	if err := unlessNeverOn(err); err != nil {
		return nil, err
	}
	if next != "" {
		view.Next = to("/endpoints", "cursor", next)
	}
	return &page{Title: "Webhook endpoints", Template: "endpoints", Section: "/endpoints", Data: view}, nil
}

// endpointView is an endpoint with what it was sent and what it answered.
type endpointView struct {
	endpointRow
	Status                     string
	Messages                   []redline.Message
	NextAttempts, NextMessages string
	// Requests are what was sent by attempts, by the ids of messages, as far as that is still kept.
	Requests map[string]string
	// Recovery is how one that was asked for stands.
	Recovery *redline.Recovery
	// Secret is shown when it is asked for.
	Secret string
}

func (c *Console) endpoint(v *visit) (*page, error) {
	id := v.asked("id")
	view := &endpointView{Status: v.asked("status")}
	err := together(v.ctx,
		func(ctx context.Context) (err error) {
			view.Endpoint, err = findEndpoint(ctx, v.calls, id)
			return err
		},
		func(ctx context.Context) error { return view.readAttempts(ctx, v, id) },
		func(ctx context.Context) error { return view.readMessages(ctx, v, id) },
		func(ctx context.Context) error { return view.readRecovery(ctx, v) },
	)
	if err != nil {
		return nil, err
	}
	return &page{Title: view.URL, Template: "endpoint", Section: "/endpoints", Data: view}, nil
}

// findEndpoint looks for one among all: the interface reads them by lists alone.
func findEndpoint(ctx context.Context, calls *redline.Client, id string) (redline.Endpoint, error) {
	var answer http.Header
	for endpoint, err := range calls.Endpoints.GetAll(ctx, redline.ListEndpointsRequest{}, redline.Header(&answer)) {
		if err != nil || endpoint.ID == id {
			return endpoint, err
		}
	}
	return redline.Endpoint{}, notListed("There is no such endpoint.", answer)
}

func (e *endpointView) readAttempts(ctx context.Context, v *visit, id string) error {
	wanted := redline.ListAttemptsRequest{EndpointID: &id, Iterator: v.optional("attempts"), Limit: new(int64(recent))}
	if e.Status != "" {
		wanted.Status = new(redline.ListAttemptsRequestStatus(e.Status))
	}
	found, err := v.calls.Attempts.Get(ctx, wanted)
	if err != nil {
		return err
	}
	e.Attempts = found.Attempts
	for _, attempt := range found.Attempts {
		if attempt.Status == redline.EndpointAttemptStatusFailed {
			e.Failed++
		}
	}
	if found.Iterator != nil && !found.Done {
		e.NextAttempts = to("/endpoint", "id", id, "status", e.Status, "attempts", *found.Iterator) + "#attempts"
	}
	return e.readRequests(ctx, v.calls)
}

// readRequests reads the bodies of the messages that were tried: the interface gives as many at once
// as are on a page.
func (e *endpointView) readRequests(ctx context.Context, calls *redline.Client) error {
	if len(e.Attempts) == 0 {
		return nil
	}
	tried := make([]string, len(e.Attempts))
	for i, attempt := range e.Attempts {
		tried[i] = attempt.MessageID
	}
	slices.Sort(tried)
	found, err := calls.Messages.Get(ctx, redline.ListMessagesRequest{MessageIds: slices.Compact(tried), Limit: new(int64(recent)), IncludePayload: new(true)})
	e.Requests = map[string]string{}
	for _, message := range found.Messages {
		e.Requests[message.ID] = message.Payload
	}
	return err
}

func (e *endpointView) readMessages(ctx context.Context, v *visit, id string) error {
	found, err := v.calls.Messages.Get(ctx, redline.ListMessagesRequest{
		EndpointID: &id, Iterator: v.optional("messages"), Limit: new(int64(recent)), IncludePayload: new(true),
	})
	e.Messages = found.Messages
	if found.Iterator != nil && !found.Done {
		e.NextMessages = to("/endpoint", "id", id, "messages", *found.Iterator) + "#messages"
	}
	return err
}

// readRecovery reads how the recovery stands that the address names.
func (e *endpointView) readRecovery(ctx context.Context, v *visit) error {
	recovery := v.asked("recovery")
	if recovery == "" {
		return nil
	}
	found, err := v.calls.Endpoints.GetRecover(ctx, redline.GetRecoveryRequest{RecoveryID: recovery})
	e.Recovery = &found
	return err
}

// endpointSecret shows the page with the secret on it, which is asked for by a form so that nobody's
// looking reads it.
func (c *Console) endpointSecret(v *visit) (*page, error) {
	found, err := v.calls.Endpoints.GetSecret(v.ctx, redline.GetEndpointSecretRequest{EndpointID: v.form("id")})
	return &page{Title: "Secret", Template: "secret", Section: "/endpoints", Data: &secretView{
		Back: to("/endpoint", "id", v.form("id")), Title: "Secret of the endpoint", Of: v.form("id"), Secret: found.Secret,
	}}, err
}

// secretView is a secret that is shown once, the id of what it opens, and the address to go back to.
type secretView struct{ Back, Title, Of, Secret string }

func (c *Console) rotateEndpointSecret(v *visit) (*page, error) {
	found, err := v.calls.Endpoints.RotateSecret(v.ctx, redline.RotateEndpointSecretRequest{EndpointID: v.form("id")})
	return &page{Title: "New secret", Template: "secret", Section: "/endpoints", Data: &secretView{
		Back: to("/endpoint", "id", v.form("id")), Title: "New secret of the endpoint; the one before signs for another day", Of: v.form("id"), Secret: found.Secret,
	}}, err
}

func switchWebhooksOn(v *visit) (next, notice string, err error) {
	_, err = v.calls.Workspace.UpdateAdvancedWebhookConfig(v.ctx, redline.UpdateWebhookSettingsRequest{IsEnabled: new(true)})
	return "/endpoints", "Webhooks are on.", err
}

func createEndpoint(v *visit) (next, notice string, err error) {
	wanted := redline.CreateEndpointRequest{URL: textOf(v.typed("url")), Description: v.typed("description")}
	if types := strings.Fields(strings.ReplaceAll(v.form("types"), ",", " ")); len(types) > 0 {
		wanted.FilterTypes = types
	}
	made, err := v.calls.Endpoints.Create(v.ctx, wanted)
	return to("/endpoint", "id", made.ID), "Added. Send it a test to see whether it answers.", err
}

// endpointHere is the page of the endpoint that a form is about.
func (v *visit) endpointHere() string { return to("/endpoint", "id", v.form("id")) }

func testEndpoint(v *visit) (next, notice string, err error) {
	_, err = v.calls.Endpoints.Test(v.ctx, redline.TestEndpointRequest{EndpointID: v.form("id")})
	return v.endpointHere(), "A test is on its way; its attempt appears below.", err
}

func switchEndpoint(v *visit) (next, notice string, err error) {
	disabled := v.form("disabled") == "true"
	_, err = v.calls.Endpoints.Update(v.ctx, redline.UpdateEndpointRequest{EndpointID: v.form("id"), Disabled: &disabled})
	if disabled {
		return v.endpointHere(), "Disabled: nothing is sent to it, and what waited has ended.", err
	}
	return v.endpointHere(), "Enabled. What it missed is sent by Recover.", err
}

func deleteEndpoint(v *visit) (next, notice string, err error) {
	_, err = v.calls.Endpoints.Delete(v.ctx, redline.DeleteEndpointRequest{EndpointID: v.form("id")})
	return "/endpoints", "Deleted.", err
}

func recoverEndpoint(v *visit) (next, notice string, err error) {
	hours, err := strconv.Atoi(v.form("hours"))
	if err != nil {
		return "", "", wrong("Say how many hours back to look.")
	}
	begun, err := v.calls.Endpoints.Recover(v.ctx, redline.RecoverEndpointRequest{
		EndpointID: v.form("id"), Since: time.Now().Add(-time.Duration(hours) * time.Hour).UTC().Format(time.RFC3339),
	})
	return to("/endpoint", "id", v.form("id"), "recovery", begun.RecoveryID), "What failed since then is queued again.", err
}

func resendMessage(v *visit) (next, notice string, err error) {
	_, err = v.calls.Messages.Resend(v.ctx, redline.ResendMessageRequest{EndpointID: v.form("id"), MessageID: v.form("messageId")})
	return v.endpointHere(), "Sent again; the attempt appears below.", err
}
