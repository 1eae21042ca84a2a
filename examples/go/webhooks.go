package examples

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	redline "github.com/redline-svc/redline/clients/go"
)

// [receiver]
type receiver struct {
	secret string
	events chan redline.WebhookEvent
}

func (v *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	event, err := redline.Verify(v.secret, r.Header, body) // the very bytes that came
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	v.events <- event // r.Header.Get("webhook-id") is the same in each repetition
	w.WriteHeader(http.StatusNoContent)
}

// [end]

// Webhooks receives an event, and refuses what was not sent by the service.
func Webhooks(ctx context.Context) string {
	client, own := must(redline.New()), &receiver{events: make(chan redline.WebhookEvent, 100)}
	server := httptest.NewUnstartedServer(own)
	defer server.Close()
	address := "http://" + server.Listener.Addr().String() + "/"

	// [register]
	must(client.Workspace.UpdateAdvancedWebhookConfig(ctx, redline.UpdateWebhookSettingsRequest{IsEnabled: new(true)}))
	endpoint := must(client.Endpoints.Create(ctx, redline.CreateEndpointRequest{
		URL: address, FilterTypes: []string{"comment.add", "execution.completed"},
	}))
	own.secret = must(client.Endpoints.GetSecret(ctx, redline.GetEndpointSecretRequest{EndpointID: endpoint.ID})).Secret
	must(client.Endpoints.Test(ctx, redline.TestEndpointRequest{EndpointID: endpoint.ID, EventType: new("comment.add")}))
	// [end]
	server.Start()
	event := <-own.events
	must(client.Endpoints.Delete(ctx, redline.DeleteEndpointRequest{EndpointID: endpoint.ID}))

	now, changed := time.Now(), `{"event":"comment.delete"}`
	other := "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	return fmt.Sprintln(
		event.Event, sends(address, own.secret, now, signed), sends(address, other, now, signed),
		sends(address, own.secret, now.Add(-time.Hour), signed), sends(address, own.secret, now, changed),
	)
}

// signed is what the signature of sends is of, whatever is sent.
const signed = `{"event":"comment.add"}`

// sends posts what somebody else might send, and returns the status of the answer.
func sends(address, key string, at time.Time, body string) int {
	request := must(http.NewRequest(http.MethodPost, address, strings.NewReader(body)))
	request.Header.Set("webhook-id", "msg_1")
	request.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	request.Header.Set("webhook-signature", must(must(standardwebhooks.NewWebhook(key)).Sign("msg_1", at, []byte(signed))))
	answer := must(http.DefaultClient.Do(request))
	check(answer.Body.Close())
	return answer.StatusCode
}
