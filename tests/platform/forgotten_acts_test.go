package platform

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// acts names the person at every place of the operations that need a worker.
func (f *forgotten) acts() {
	f.T.Helper()
	f.leads()
	f.isResolved()
	f.isAlerted()
	for operation, data := range map[string]map[string]any{
		client.ListSteps: {"reviewerId": f.who.ID}, client.SearchJudgments: {"query": "fees", "filters": map[string]any{"reviewerId": f.who.ID}},
		client.AskQuestion: {"question": "What about fees?", "filters": map[string]any{"reviewerId": f.who.ID}},
	} {
		f.env.Call(operation, data, nil)
	}
}

// leads lets the person lead executions by hand, and come into a reviewer's place and out of it.
func (f *forgotten) leads() {
	env, by := f.env, map[string]any{"actorId": f.who.ID, "reason": "It is time."}
	env.T.Helper()
	definition := kit.Define(env, []redline.NodeInput{client.Human("review", f.other), client.Mock("end")}, client.Both("review", "end")...)
	led := func() (*kit.Run, map[string]any, map[string]any) {
		r := kit.Dispatch(env, definition)
		of := kit.With(by, map[string]any{"executionId": r.ID})
		return r, of, kit.With(of, map[string]any{"stepId": r.WaitsAt("review").StepID})
	}
	resolved, execution, step := led()
	env.Call(client.PauseExecution, execution, nil)
	env.Call(client.ResumeExecution, execution, nil)
	env.Call(client.ReassignStep, kit.With(step, map[string]any{"fromReviewerId": f.other, "toReviewerId": f.who.ID}), nil)
	env.Call(client.ReassignStep, kit.With(step, map[string]any{"fromReviewerId": f.who.ID, "toReviewerId": f.other}), nil)
	env.Call(client.ResolveStep, kit.With(step, map[string]any{"action": "force-complete", "output": map[string]any{"by": f.who.User()}}), nil)
	resolved.Ends("completed")
	cancelled, _, step := led()
	env.Call(client.CancelStep, step, nil)
	cancelled.Ends("cancelled")
	failed, execution, step := led()
	env.Call(client.ResolveStep, kit.With(step, map[string]any{"action": "force-fail"}), nil)
	failed.Ends("failed")
	env.Call(client.RetryExecution, execution, nil)
	env.Call(client.CancelExecution, execution, nil)
	failed.Ends("cancelled")
}

// isResolved lets an agent, the receiver of a step and a sender outside say something about the person.
func (f *forgotten) isResolved() {
	env, by := f.env, map[string]any{"by": f.who.User()}
	env.T.Helper()
	env.Receiver().Answer("/agent", receiver.JSON(`{"agentExecutionId":"one"}`))
	behaviour := map[string]any{}
	for _, name := range []string{"contextGathering", "execution", "response", "postProcess", "input", "scope", "setup"} {
		behaviour[name] = by
	}
	kit.Register(env, "asked", behaviour, map[string]any{"url": env.Receiver().URL("/agent")})
	env.Call(client.UpdateAgentVersion, kit.With(behaviour, map[string]any{"agentId": "asked"}), nil)
	var ran client.Wrapped[struct{ ExecutionID string }]
	env.Call(client.RunAgent, map[string]any{
		"agentId": "__mock__", "url": "https://pages.example.com/", "userContext": by, "aiConfig": by, "ranBy": f.who.User(),
	}, &ran)
	(&kit.Run{S: env, ID: ran.Data.ExecutionID}).Ends("completed")
	asked := kit.AsksAgent(env, client.Agent("check", "asked"))
	asked.WaitsAt("check")
	env.Call(client.RecordResolution, asked.Resolves("check", "r1", "rejected", map[string]any{"output": by, "actorId": f.who.ID}), nil)
	later := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("cms", env.Receiver().URL("/cms"))}))
	later.WaitsAt("cms")
	kit.CalledAt(env, "/cms").Accepted(map[string]any{"status": "completed", "output": by})
	later.Ends("completed")
	_, from := kit.Triggered(env, kit.InboundTrigger(nil))
	body, err := json.Marshal(map[string]any{"payload": by})
	require.NoError(env.T, err)
	from.Starts(string(body), nil).Ends("completed")
}

// opinions are judgments alike, each about a document of its own.
func opinions(text, reviewer, decision string, count int, at time.Time) (all []map[string]any) {
	for n := range count {
		all = append(all, kit.Verdict(reviewer, decision, map[string]any{
			"organizationId": "acme", "documentId": fmt.Sprint("about-", n, "-", decision), "reasoning": text, "content": text, "createdAt": at.UnixMilli(),
		}))
	}
	return all
}

// isAlerted has alerts raised: that practices have turned, which the person settles, and that the person decides against the others.
func (f *forgotten) isAlerted() {
	env := f.env
	env.T.Helper()
	now := time.Now()
	var all []map[string]any
	for _, turned := range []string{"Liability must be capped at the yearly fees.", "Photos of children need the consent of both parents."} {
		all = append(all, opinions(turned, f.other, "approve", 3, now.AddDate(0, 0, -200))...)
		all = append(all, opinions(turned, f.other, "reject", 3, now)...)
	}
	shown := "Prices are shown to consumers with all taxes included."
	all = append(all, opinions(shown, f.other, "approve", 20, now)...)
	all = append(all, opinions(shown, f.who.ID, "reject", 5, now)...)
	kit.Record(env, kit.Listed(all...))
	kit.Remembers(env)
	env.Call(client.UpdateAlertConfig, map[string]any{"config": map[string]any{"maxAlertsPerWeek": 50}}, nil)
	env.Call(client.TriggerConsolidation, map[string]any{"force": true}, nil)
	drifts := f.alerts("standards_drift", 2)
	require.Equal(env.T, f.who.ID, *f.alerts("anomaly", 1)[0].ReviewerID)
	for n, settle := range []string{client.DismissAlert, client.ActOnAlert} {
		env.Call(settle, map[string]any{"alertId": drifts[n].ID, "user": map[string]any{"uid": f.who.ID}}, nil)
	}
}

// alerts waits for so many alerts of a type.
func (f *forgotten) alerts(kind string, count int) (found []redline.Alert) {
	f.T.Helper()
	kit.RequireWithin(f.T, kit.IngestionTime, kind+" is there", func() bool {
		var all []redline.Alert
		f.env.Call(client.ListAlerts, map[string]any{}, &all)
		found = nil
		for _, a := range all {
			if string(a.AlertType) == kind {
				found = append(found, a)
			}
		}
		return len(found) >= count
	})
	return found
}
