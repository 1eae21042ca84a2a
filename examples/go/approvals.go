package examples

import (
	"context"
	"fmt"

	redline "github.com/redline-svc/redline/clients/go"
)

// Approvals asks people, hands a step over and decides.
func Approvals(ctx context.Context) (answer string) {
	client, definition := must(redline.New()), unique("release")

	// [define]
	reviewers := []map[string]any{{"userId": "u_legal", "mandatory": true}, {"userId": "u_brand", "mandatory": false}}
	must(client.Definitions.Create(ctx, redline.DefinitionRequest{
		DefinitionID: definition,
		Name:         "Release",
		Nodes: []redline.NodeInput{
			{NodeID: "sign-off", Type: redline.NodeInputTypeHuman, Config: map[string]any{"reviewers": reviewers}},
			{NodeID: "publish", Type: redline.NodeInputTypeAgent, Config: map[string]any{"agentId": "__mock__"}}, // stands for your systems
			{NodeID: "author", Type: redline.NodeInputTypeAgent, Config: map[string]any{"agentId": "__mock__"}},
		},
		Edges: []redline.EdgeInput{
			{From: "sign-off", To: "publish", On: new(redline.EdgeInputOnApprove)},
			{From: "sign-off", To: "author", On: new(redline.EdgeInputOnReject)},
		},
	}))
	// [end]
	execution := must(client.Executions.Dispatch(ctx, redline.DispatchRequest{DefinitionID: definition})).ExecutionID
	step := must(client.WaitForStep(ctx, redline.ListStepsRequest{ExecutionID: &execution, ReviewerID: new("u_legal")}))

	// [reassign]
	must(client.Steps.Reassign(ctx, redline.ReassignStepRequest{
		ExecutionID: execution, StepID: step.StepID, FromReviewerID: "u_legal", ToReviewerID: "u_deputy",
		ActorID: "u_admin", Reason: new("on leave"),
	}))
	// [end]

	// [decide]
	for waiting, err := range client.Steps.ListAll(ctx, redline.ListStepsRequest{ReviewerID: new("u_deputy"), DefinitionID: &definition}) {
		check(err)
		must(client.Steps.RecordReviewerDecision(ctx, redline.DecideStepRequest{
			ExecutionID: waiting.ExecutionID, StepID: waiting.StepID, ReviewerID: "u_deputy",
			Decision: redline.DecideStepRequestDecisionReject, Reason: new("The second source is missing."),
		}))
	}
	// [end]

	// [read]
	ended := must(client.WaitForExecution(ctx, execution))
	for _, step := range ended.Steps {
		answer = fmt.Sprintln(step.NodeID, step.Status)
	}
	// [end]
	return answer
}
