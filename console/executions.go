package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
)

// rows is how many rows a page of a list has.
const rows = 50

// executionsView is a page of executions with what they are filtered by.
type executionsView struct {
	Items                                []redline.Execution
	Status, Definition, Key, Correlation string
	// Since is a word of spans, empty for ever.
	Since    string
	Next     string
	Statuses []redline.ListExecutionsRequestStatus
	Spans    []string
}

// Said is how many of them stand how, in a sentence.
func (e executionsView) Said() string {
	counts := map[redline.ListExecutionsRequestStatus]int64{}
	for _, execution := range e.Items {
		counts[redline.ListExecutionsRequestStatus(execution.Status)]++
	}
	said := []string{plural(int64(len(e.Items)), "execution")}
	for _, status := range e.Statuses {
		if counts[status] > 0 {
			said = append(said, fmt.Sprintf("%d %s", counts[status], status))
		}
	}
	return strings.Join(said, ", ")
}

// spans are the times that executions are filtered by, which count back from now.
var spans = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}

// startedAfter is where the span of the list begins: further pages name the instant with which the
// first one was read, as their cursors are of that list.
func (v *visit) startedAfter() *int64 {
	after := v.number("after")
	if span := spans[v.asked("since")]; span != 0 && after == 0 {
		after = time.Now().Add(-span).UnixMilli()
	}
	if after == 0 {
		return nil
	}
	return &after
}

// Filtered reports whether something is left out.
func (e executionsView) Filtered() bool {
	return e.Status+e.Definition+e.Key+e.Correlation+e.Since != ""
}

func (c *Console) executions(v *visit) (*page, error) {
	view := &executionsView{
		Status: v.asked("status"), Definition: v.asked("definition"), Key: v.asked("key"), Correlation: v.asked("correlation"), Since: v.asked("since"),
		Statuses: []redline.ListExecutionsRequestStatus{"pending", "running", "completed", "failed", "cancelled"}, Spans: []string{"hour", "day", "week"},
	}
	wanted := redline.ListExecutionsRequest{
		DefinitionID: given(view.Definition), CorrelationID: given(view.Correlation), IdempotencyKey: given(view.Key), StartedAfter: v.startedAfter(),
		Cursor: v.optional("cursor"), PageSize: new(int64(rows)),
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
		view.Next = to("/executions", "status", view.Status, "definition", view.Definition, "key", view.Key, "correlation", view.Correlation,
			"since", view.Since, "after", textOf(wanted.StartedAfter), "cursor", found.NextCursor)
	}
	return &page{Title: "Executions", Template: "executions", Section: "/executions", Data: view}, nil
}

// waited is a node that an execution waits at, and for whom.
type waited struct {
	Node   string
	People []string
}

// waitsFor is whom and what an execution waits for, as far as the list says it.
func waitsFor(steps []redline.Step) (waits []waited) {
	for _, step := range steps {
		if step.Status == redline.StepStatusWaiting || step.Status == redline.StepStatusRunning {
			at := waited{Node: cmp.Or(step.Metadata.NodeName, step.NodeID)}
			for _, reviewer := range step.Metadata.Reviewers {
				at.People = append(at.People, reviewer.UserID)
			}
			waits = append(waits, at)
		}
	}
	slices.SortStableFunc(waits, func(a, b waited) int { return strings.Compare(a.Node, b.Node) })
	return waits
}

// inWords is what an execution waits for, as a part of a sentence.
func inWords(waits []waited) string {
	said := make([]string, len(waits))
	for i, at := range waits {
		said[i] = at.Node
		if len(at.People) > 0 {
			said[i] += " (" + strings.Join(at.People, ", ") + ")"
		}
	}
	return strings.Join(said, ", ")
}
