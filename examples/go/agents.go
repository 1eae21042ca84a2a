package examples

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	redline "github.com/redline-svc/redline/clients/go"
)

const agentSecret = "a-secret-of-the-agent"

// [answer]

// called is what the agent's own server does with a call.
func called(w http.ResponseWriter, header http.Header, body []byte) {
	if redline.VerifySignature(agentSecret, header, body) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	fmt.Fprint(w, `{"agentExecutionId":"run-7"}`) // the work goes on; the step waits
}

// [end]

// Agents registers an agent, lets a step call it and says what became of the step.
func Agents(ctx context.Context) string {
	client, name := must(redline.New()), unique("checker")
	path := "/json/" + base64.RawURLEncoding.EncodeToString([]byte(`{"agentExecutionId":"run-7"}`)) + "/" + name
	address := os.Getenv("REDLINE_DEV_RECEIVER_URL") + path // the receiver of make run stands for the agent

	// [register]
	must(client.Agents.Create(ctx, redline.CreateAgentRequest{AgentID: name, Name: "Style check", URL: address, Secret: agentSecret}))
	must(client.Definitions.Create(ctx, redline.DefinitionRequest{
		DefinitionID: name, Name: "Style check", Edges: []redline.EdgeInput{},
		Nodes: []redline.NodeInput{{NodeID: "check", Type: redline.NodeInputTypeAgent, Config: map[string]any{"agentId": name}}},
	}))
	// [end]
	execution := must(client.Executions.Dispatch(ctx, redline.DispatchRequest{DefinitionID: name})).ExecutionID
	must(client.WaitForStep(ctx, redline.ListStepsRequest{ExecutionID: &execution, NodeType: new(redline.ListStepsRequestNodeTypeAgent)}))
	refusesAnotherBody(inbox(path)[0])

	// [resolve]
	step := must(client.WaitForStep(ctx, redline.ListStepsRequest{
		ExecutionID: &execution, NodeType: new(redline.ListStepsRequestNodeTypeAgent),
	}))
	must(client.Steps.RecordAgentResolution(ctx, redline.AgentResolutionRequest{
		ExecutionID: execution, StepID: step.StepID, ResponseID: "run-7", Resolution: redline.AgentResolutionRequestResolutionResolved,
		Reason: new("Nothing to correct."), Output: &map[string]any{"findings": 0},
	}))
	// [end]
	return string(must(client.WaitForExecution(ctx, execution)).Status)
}

// refusesAnotherBody panics unless called takes what the service sent and nothing else.
func refusesAnotherBody(sent arrived) {
	answer := must(http.Get(sent.bodyAddress()))
	body := must(io.ReadAll(answer.Body))
	check(answer.Body.Close())
	for text, want := range map[string]int{string(body): http.StatusOK, string(body) + " ": http.StatusUnauthorized} {
		w := httptest.NewRecorder()
		called(w, sent.header(), []byte(text))
		if w.Code != want {
			panic(fmt.Errorf("answered %d, not %d", w.Code, want))
		}
	}
}
