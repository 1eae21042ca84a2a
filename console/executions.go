package console

import (
	"slices"
	"strings"

	redline "github.com/redline-svc/redline/clients/go"
)

// rows is how many rows a page of a list has.
const rows = 50

// executionsView is a page of executions with what they are filtered by.
type executionsView struct {
	Items                                []redline.Execution
	Status, Definition, Key, Correlation string
	Next                                 string
	Statuses                             []redline.ListExecutionsRequestStatus
}

// Filtered reports whether something is left out.
func (e executionsView) Filtered() bool { return e.Status+e.Definition+e.Key+e.Correlation != "" }

func (c *Console) executions(v *visit) (*page, error) {
	view := &executionsView{
		Status: v.asked("status"), Definition: v.asked("definition"), Key: v.asked("key"), Correlation: v.asked("correlation"),
		Statuses: []redline.ListExecutionsRequestStatus{"pending", "running", "completed", "failed", "cancelled"},
	}
	wanted := redline.ListExecutionsRequest{
		DefinitionID: given(view.Definition), CorrelationID: given(view.Correlation), IdempotencyKey: given(view.Key), Cursor: v.optional("cursor"), PageSize: new(int64(rows)),
	}
	if view.Status != "" {
		wanted.Status = new(redline.ListExecutionsRequestStatus(view.Status))
	}
	found, err := v.calls.Executions.List(v.ctx, wanted)
	if err != nil {
		return nil, err
	}
	view.Items = found.Items
	if found.HasMore {
		view.Next = to("/executions", "status", view.Status, "definition", view.Definition, "key", view.Key, "correlation", view.Correlation, "cursor", found.NextCursor)
	}
	return &page{Title: "Executions", Template: "executions", Section: "/executions", Data: view}, nil
}

// waitsFor is whom and what an execution waits for, as far as the list says it.
func waitsFor(steps []redline.Step) string {
	var said []string
	for _, step := range steps {
		if step.Status == redline.StepStatusWaiting || step.Status == redline.StepStatusRunning {
			word := step.NodeID
			if people := reviewers(step); people != "" {
				word += " (" + people + ")"
			}
			said = append(said, word)
		}
	}
	slices.Sort(said)
	return strings.Join(slices.Compact(said), ", ")
}
