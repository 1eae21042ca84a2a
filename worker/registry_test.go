package worker

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/activities/delivery"
	"github.com/redline-svc/redline/activities/execution"
	"github.com/redline-svc/redline/activities/ingestion"
	"github.com/redline-svc/redline/activities/job"
)

// registered notes the names that are registered.
type registered struct{ workflows, activities []string }

func (r *registered) RegisterWorkflowWithOptions(_ any, o workflow.RegisterOptions) {
	r.workflows = append(r.workflows, o.Name)
}

func (r *registered) RegisterActivityWithOptions(_ any, o activity.RegisterOptions) {
	r.activities = append(r.activities, o.Name)
}

// constants are the values of the contract's constants whose names begin so.
func constants(t *testing.T, prefix string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../internal/contract/names.go", nil, 0)
	require.NoError(t, err)
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if !strings.HasPrefix(name.Name, prefix) {
				continue
			}
			value, err := strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
			require.NoError(t, err)
			found = append(found, value)
		}
		return true
	})
	slices.Sort(found)
	return found
}

func TestEveryNameOfTheContractIsRegisteredOnce(t *testing.T) {
	w := &Worker{o: Options{
		ExecutionActivities: execution.New(nil, nil, 0),
		DeliveryActivities:  delivery.New(nil, nil, delivery.Options{Slots: 1, Dispatchers: 1}),
		IngestionActivities: ingestion.New(ingestion.Parts{}),
		JobActivities:       job.New(nil, nil, nil),
		ScheduleActivities:  execution.NewSchedules(nil, nil),
	}}
	var r registered
	w.registerExecutions(&r)
	w.registerDeliveries(&r)
	w.registerIngestions(&r)
	w.registerJobs(&r)
	slices.Sort(r.workflows)
	slices.Sort(r.activities)
	require.Equal(t, constants(t, "Workflow"), r.workflows)
	require.Equal(t, constants(t, "Activity"), r.activities)
	require.NotEmpty(t, r.workflows)
	require.NotEmpty(t, r.activities)
}
