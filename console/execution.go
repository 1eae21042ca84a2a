package console

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	redline "github.com/redline-svc/redline/clients/go"
)

// toldAtOnce is how many events a page has: as many as the interface returns at once.
const toldAtOnce = 500

// told is an event with the name of the node that it is about, and who did what and why. Words are
// those of the reviewers of a step that is completed.
type told struct {
	redline.Event
	Node, By, Said string
	Words          []response
}

// response is a word of a reviewer, as the output of a step keeps it.
type response struct {
	ReviewerID, Decision, Reason string
	At                           int64
}

// responsesOf are the words of the reviewers of a step.
func responsesOf(output any) []response {
	var found struct{ Responses []response }
	reread(output, &found)
	return found.Responses
}

// reread reads a free-form value into to, which stays empty where it has another form.
func reread(value, to any) {
	if text, err := json.Marshal(value); err == nil {
		_ = json.Unmarshal(text, to) // another form says nothing that is shown
	}
}

// tell makes an event readable.
func tell(event redline.Event, nodes map[string]string) told {
	var data struct{ ReviewerID, ActorID, Decision, Reason string }
	reread(event.Data, &data)
	t := told{Event: event, By: cmp.Or(data.ReviewerID, data.ActorID), Said: data.Reason}
	if data.Decision != "" {
		t.Said = strings.TrimSuffix(data.Decision+": "+data.Reason, ": ")
	}
	if event.StepID != nil {
		t.Node = nodes[*event.StepID]
	}
	return t
}

// executionView is everything about one execution.
type executionView struct {
	redline.Execution
	Definition redline.Definition
	Graph      *drawing
	Events     []told
	Deliveries []redline.Delivery
	// NextEvents and NextDeliveries lead on; empty where there is no more.
	NextEvents, NextDeliveries string
	TemporalUI                 string
	Internal                   bool
	Acting                     string
}

// Open reports whether it has not ended.
func (e executionView) Open() bool {
	return e.Status == redline.ExecutionStatusPending || e.Status == redline.ExecutionStatusRunning
}

// Failed reports whether it has failed, so that it can be tried again.
func (e executionView) Failed() bool { return e.Status == redline.ExecutionStatusFailed }

// Waits is what it waits for, nothing once it has ended.
func (e executionView) Waits() []waited {
	if !e.Open() {
		return nil
	}
	return waitsFor(e.Steps)
}

// InOrder are its steps, first those that somebody or something is waited for at.
func (e executionView) InOrder() []redline.Step {
	ended := func(step redline.Step) int {
		if step.Status == redline.StepStatusWaiting || step.Status == redline.StepStatusRunning {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(e.Steps), func(a, b redline.Step) int { return ended(a) - ended(b) })
}

// Said is how it stands, in a sentence.
func (e executionView) Said() string {
	said := "The execution is " + string(e.Status) + "."
	if words := inWords(e.Waits()); words != "" {
		said += " It waits for " + words + "."
	}
	return said
}

// Paused reports whether it is paused.
func (e executionView) Paused() bool { return e.PausedAt != nil }

func (c *Console) execution(v *visit) (*page, error) {
	id := v.asked("id")
	view := &executionView{Acting: v.session.Acting, Internal: v.asked("internal") != ""}
	err := together(v.ctx,
		func(ctx context.Context) error { return view.read(ctx, v.calls, id) },
		func(ctx context.Context) error { return view.readEvents(ctx, v, id) },
		func(ctx context.Context) error { return view.readDeliveries(ctx, v, id) },
	)
	if err != nil {
		return nil, err
	}
	view.tell()
	if c.options.TemporalUI != "" {
		view.TemporalUI = to(c.options.TemporalUI+"/workflows", "query", fmt.Sprintf("RedlineExecutionId=%q", id))
	}
	return &page{Title: view.Definition.Name + " · " + id, Template: "execution", Section: "/executions", Data: view}, nil
}

// read reads the execution and the definition as it was when it started, and draws them.
func (e *executionView) read(ctx context.Context, calls *redline.Client, id string) (err error) {
	if e.Execution, err = calls.Executions.Get(ctx, redline.GetExecutionRequest{ExecutionID: id, IncludeInput: new(true)}); err != nil {
		return err
	}
	e.Definition, err = calls.Definitions.GetVersions(ctx, redline.GetVersionRequest{DefinitionID: e.DefinitionID, Version: e.DefinitionVersion})
	switch {
	case redline.IsNotFound(err): // deleted since; its steps are shown all the same
		e.Definition.Name = e.DefinitionID
		return nil
	case err != nil:
		return err
	}
	e.Graph, err = draw(e.Definition.Nodes, e.Definition.Edges, e.Definition.Groups, e.Steps)
	return err
}

func (e *executionView) readEvents(ctx context.Context, v *visit, id string) error {
	since := v.number("since")
	found, err := v.calls.Executions.GetEvents(ctx, redline.GetEventsRequest{
		ExecutionID: id, SinceSeq: &since, PageSize: new(int64(toldAtOnce)), IncludeInternal: new(v.asked("internal") != ""),
	})
	for _, event := range found.Events {
		e.Events = append(e.Events, told{Event: event})
	}
	if found.HasMore {
		e.NextEvents = to("/execution", "id", id, "internal", v.asked("internal"), "since", strconv.FormatInt(found.NextCursor, 10)) + "#events"
	}
	return err
}

// tell names the nodes of the events, once the steps are read too.
func (e *executionView) tell() {
	nodes, words := map[string]string{}, map[string][]response{}
	for _, step := range e.Steps {
		nodes[step.StepID] = cmp.Or(step.Metadata.NodeName, step.NodeID)
		words[step.StepID] = responsesOf(step.Output)
	}
	for i, event := range e.Events {
		e.Events[i] = tell(event.Event, nodes)
		if event.Type == "step.completed" {
			e.Events[i].Words = words[textOf(event.StepID)]
		}
	}
}

func (e *executionView) readDeliveries(ctx context.Context, v *visit, id string) error {
	found, err := v.calls.Executions.GetDeliveries(ctx, redline.ListDeliveriesRequest{
		ExecutionID: id, Cursor: v.optional("deliveries"), PageSize: new(int64(rows)),
	})
	e.Deliveries = found.Items
	if found.HasMore {
		e.NextDeliveries = to("/execution", "id", id, "deliveries", textOf(found.NextCursor)) + "#deliveries"
	}
	return err
}

// here is the page of the execution that a form is about.
func (v *visit) here() string { return to("/execution", "id", v.form("executionId")) }

// next is where a form leads: to the page that it names, or else to the execution.
func (v *visit) next() string {
	if v.form("next") != "" {
		return local(v.form("next"))
	}
	return v.here()
}

func cancelExecution(v *visit) (next, notice string, err error) {
	_, err = v.calls.Executions.Cancel(v.ctx, redline.CancelExecutionRequest{
		ExecutionID: v.form("executionId"), Reason: v.typed("reason"), ActorID: given(v.actor()),
	})
	return v.here(), "Cancelled.", err
}

// actOn is what pauses and resumes.
func (v *visit) actOn() redline.ExecutionActRequest {
	return redline.ExecutionActRequest{ExecutionID: v.form("executionId"), Reason: v.typed("reason"), ActorID: given(v.actor())}
}

func pauseExecution(v *visit) (next, notice string, err error) {
	_, err = v.calls.Executions.Pause(v.ctx, v.actOn())
	return v.here(), "Paused: nothing new starts until it is resumed.", err
}

func resumeExecution(v *visit) (next, notice string, err error) {
	_, err = v.calls.Executions.Resume(v.ctx, v.actOn())
	return v.here(), "Resumed.", err
}

func retryExecution(v *visit) (next, notice string, err error) {
	wanted := redline.RetryExecutionRequest{ExecutionID: v.form("executionId"), Reason: v.typed("reason"), ActorID: given(v.actor()), SkipStepIds: v.request.PostForm["skip"]}
	_, err = v.calls.Executions.Retry(v.ctx, wanted)
	return v.here(), "Tried again from where it failed.", err
}

func redeliver(v *visit) (next, notice string, err error) {
	wanted := redline.RedeliverRequest{ExecutionID: v.form("executionId")}
	if event := v.form("eventId"); event != "" {
		wanted.EventIds = []string{event}
	}
	_, err = v.calls.Executions.Redeliver(v.ctx, wanted)
	return v.here() + "#deliveries", "Queued again; the attempts are below.", err
}

func decide(v *visit) (next, notice string, err error) {
	reviewer := strings.TrimSpace(v.form("reviewerId"))
	if reviewer == "" {
		return "", "", wrong("Say who decides: choose a reviewer, or set whom you act as in the menu.")
	}
	_, err = v.calls.Steps.RecordReviewerDecision(v.ctx, redline.DecideStepRequest{
		ExecutionID: v.form("executionId"), StepID: v.form("stepId"), ReviewerID: reviewer,
		Decision: redline.DecideStepRequestDecision(v.form("decision")), Reason: v.typed("reason"),
	})
	word := map[string]string{"approve": "Approved", "reject": "Rejected"}[v.form("decision")]
	return v.next(), word + " as " + reviewer + ".", err
}

func reassign(v *visit) (next, notice string, err error) {
	_, err = v.calls.Steps.Reassign(v.ctx, redline.ReassignStepRequest{
		ExecutionID: v.form("executionId"), StepID: v.form("stepId"), FromReviewerID: v.form("from"), ToReviewerID: textOf(v.typed("to")),
		ActorID: v.actor(), Reason: v.typed("reason"),
	})
	return v.here(), "Reassigned.", err
}

func resolve(v *visit) (next, notice string, err error) {
	_, err = v.calls.Steps.Resolve(v.ctx, redline.ResolveStepRequest{
		ExecutionID: v.form("executionId"), StepID: v.form("stepId"), Action: redline.ResolveStepRequestAction(v.form("action")),
		ActorID: v.actor(), Reason: v.typed("reason"),
	})
	return v.here(), "Done.", err
}
