package kit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
)

const (
	// MostAttempts is how often an activity may be tried when all is well again: its
	// worker died, and the next one too.
	MostAttempts = 3
	// restWithin is how long it may take until nothing is open any more: the last
	// activity of a delivery run goes on for up to 40 s, and a call whose worker died
	// begins again when its lock ends.
	restWithin = 3 * time.Minute
)

// Temporal's library writes a line at ERROR for each try of an activity that fails.
const (
	// TriedCall is the text of lines about a call of an execution that failed.
	TriedCall = `"ActivityType":"execution.call"`
	// TriedStage is the text of lines about a stage of an ingestion that failed.
	TriedStage = `"ActivityType":"ingestion.stage"`
)

// WhileAway are the texts of lines about tries and requests that met a part which was
// away.
var WhileAway = []string{"(type: UNAVAILABLE", "(type: DEADLINE_EXCEEDED", `"status":"UNAVAILABLE"`, `"status":"DEADLINE_EXCEEDED"`}

// ended are the questions whether the rows have ended what a run is for, by the first
// word of its id. $1 is the object's id.
var ended = map[string]string{
	"execution": `SELECT status IN ('completed', 'failed', 'cancelled') FROM executions WHERE id = $1`,
	"webhook":   `SELECT NOT EXISTS (SELECT FROM open_deliveries WHERE destination_id = $1)`,
	"email":     `SELECT NOT EXISTS (SELECT FROM open_deliveries WHERE destination_id = $1)`,
	"ingestion": `SELECT NOT EXISTS (SELECT FROM source_versions WHERE source_id = $1 AND state IN ('accepted', 'staging'))`,
}

// endedJob is the question of every other kind: whether a job has ended.
const endedJob = `SELECT ended_at IS NOT NULL FROM jobs WHERE id = $1`

// AtRest belongs to the end of every test in which something dies: rows and
// receivers may be as they should while Temporal works on for nobody. It waits until
// no run is open whose execution, destination or source the rows have ended, and no
// activity is past its third attempt. Then no process may have written a line at
// ERROR but those in which one of the expected texts stands.
func (isolated *IsolatedStack) AtRest(expected ...string) {
	isolated.T.Helper()
	o, rows := TemporalClientAt(isolated.T, isolated.Stack, isolated.Namespace), isolated.DB()
	o.WorkspaceID = isolated.WorkspaceID
	var restless []string
	defer func() {
		if len(restless) > 0 {
			isolated.T.Logf("not at rest:\n%s", strings.Join(restless, "\n"))
		}
	}()
	RequireWithin(isolated.T, restWithin, "Temporal is at rest", func() bool {
		restless = o.Restless(rows)
		return len(restless) == 0
	})
	require.Empty(isolated.T, isolated.ErrorLines(expected), "lines at ERROR")
}

// Restless returns a line for each run that is open and should not be, and for each activity
// that is tried too often.
func (o *TemporalClient) Restless(rows *pgx.Conn) []string {
	query := "ExecutionStatus = 'Running'"
	if o.WorkspaceID != "" {
		query += " AND RedlineWorkspaceId = '" + o.WorkspaceID + "'"
	}
	open, err := o.ListWorkflow(o.T.Context(), &workflowservice.ListWorkflowExecutionsRequest{Namespace: o.Namespace, Query: query})
	if err != nil {
		return []string{fmt.Sprintf("Temporal does not list its runs: %v", err)}
	}
	var found []string
	for _, run := range open.GetExecutions() {
		if why := o.forNobody(rows, run); why != "" {
			found = append(found, run.GetExecution().GetWorkflowId()+" is listed as open, and "+why)
		}
		found = append(found, o.strained(run)...)
	}
	return found
}

// forNobody returns why an open run should not be open, nothing where it should be. Temporal's
// list is late: one that was started by hand may stand there without its attributes, or
// when it has closed.
func (o *TemporalClient) forNobody(rows *pgx.Conn, run *workflowpb.WorkflowExecutionInfo) string {
	o.T.Helper()
	kind, _, _ := strings.Cut(run.GetExecution().GetWorkflowId(), "/")
	question, known := ended[kind]
	if !known {
		question = endedJob
	}
	attribute := "RedlineObjectId"
	if kind == "execution" {
		attribute = "RedlineExecutionId"
	}
	object := Text(o.T, run.GetSearchAttributes().GetIndexedFields()[attribute])
	if object == "" {
		return "not yet with what it is for"
	}
	var over bool
	err := rows.QueryRow(o.T.Context(), question, object).Scan(&over)
	if errors.Is(err, pgx.ErrNoRows) {
		return "it has no row"
	}
	require.NoError(o.T, err, "%s %s", kind, object)
	if over {
		return "its rows have ended"
	}
	return ""
}

// strained describes the activities of a run that are tried too often.
func (o *TemporalClient) strained(run *workflowpb.WorkflowExecutionInfo) []string {
	of := run.GetExecution()
	described, err := o.DescribeWorkflowExecution(o.T.Context(), of.GetWorkflowId(), of.GetRunId())
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be described: %v", of.GetWorkflowId(), err)}
	}
	var found []string
	for _, activity := range described.GetPendingActivities() {
		if activity.GetAttempt() > MostAttempts {
			found = append(found, fmt.Sprintf("%s of %s is at attempt %d after %s", activity.GetActivityType().GetName(),
				of.GetWorkflowId(), activity.GetAttempt(), activity.GetLastFailure().GetMessage()))
		}
	}
	return found
}

// ErrorLines returns the lines at ERROR in the logs of the isolated stack's processes, dead ones
// too, without those in which one of the expected texts stands, and what the language's own
// runtime wrote when it ended a process.
func (isolated *IsolatedStack) ErrorLines(expected []string) []string {
	isolated.T.Helper()
	var found []string
	for _, service := range isolated.Services() {
		log, err := os.Open(service.Log)
		require.NoError(isolated.T, err)
		lines := bufio.NewScanner(log)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if isError(lines.Text()) && !mentions(lines.Text(), expected) {
				found = append(found, filepath.Base(service.Log)+": "+lines.Text())
			}
		}
		require.NoError(isolated.T, lines.Err())
		require.NoError(isolated.T, log.Close())
	}
	return found
}

func isError(line string) bool {
	var written struct {
		Level string `json:"level"`
	}
	if json.Unmarshal([]byte(line), &written) == nil {
		return written.Level == "ERROR"
	}
	return strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:")
}

func mentions(line string, texts []string) bool {
	for _, text := range texts {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}
