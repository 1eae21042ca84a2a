package examples

import (
	"context"
	"io"
	"net"
	"net/http"

	redline "github.com/redline-svc/redline/clients/go"
)

// FirstExecution dispatches, approves and receives.
func FirstExecution(ctx context.Context) string {
	// [program]
	client := must(redline.New())
	at := must(net.Listen("tcp", "127.0.0.1:0"))
	must(client.Workspace.UpdateAdvancedWebhookConfig(ctx, redline.UpdateWebhookSettingsRequest{IsEnabled: new(true)}))
	endpoint := must(client.Endpoints.Create(ctx, redline.CreateEndpointRequest{
		URL: "http://" + at.Addr().String(), FilterTypes: []string{"execution.completed"},
	}))
	secret := must(client.Endpoints.GetSecret(ctx, redline.GetEndpointSecretRequest{EndpointID: endpoint.ID})).Secret
	received := make(chan redline.WebhookEvent, 100)
	go http.Serve(at, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		received <- must(redline.Verify(secret, r.Header, must(io.ReadAll(r.Body))))
	}))
	execution := must(client.Executions.Dispatch(ctx, redline.DispatchRequest{DefinitionID: "editorial-sign-off"})).ExecutionID
	step := must(client.WaitForStep(ctx, redline.ListStepsRequest{ExecutionID: &execution, ReviewerID: new("u_editor")}))
	must(client.Steps.RecordReviewerDecision(ctx, redline.DecideStepRequest{
		ExecutionID: execution, StepID: step.StepID, ReviewerID: "u_editor", Decision: redline.DecideStepRequestDecisionApprove,
	}))
	answer := "received " + (<-received).Event
	// [end]
	must(client.Endpoints.Delete(ctx, redline.DeleteEndpointRequest{EndpointID: endpoint.ID}))
	check(at.Close())
	return answer
}
