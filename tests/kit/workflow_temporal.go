package kit

import (
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	sdkpb "go.temporal.io/api/sdk/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	temporal "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/redline-svc/redline/tests/kit/stack"
)

// TemporalClient does in a namespace what a person does in Temporal's UI.
type TemporalClient struct {
	T *testing.T
	temporal.Client
	Namespace string
	// WorkspaceID narrows what is asked about all runs; empty for all workspaces.
	WorkspaceID string
}

// TemporalClientFor connects to a namespace of the shared stack.
func TemporalClientFor(t *testing.T, namespace string) *TemporalClient {
	t.Helper()
	return TemporalClientAt(t, Shared, namespace)
}

// TemporalClientAt connects to a namespace of any stack.
func TemporalClientAt(t *testing.T, parts *stack.Stack, namespace string) *TemporalClient {
	t.Helper()
	c, err := temporal.Dial(temporal.Options{
		HostPort: parts.Env["REDLINE_TEMPORAL_ADDR"], Namespace: namespace,
		ConnectionOptions: temporal.ConnectionOptions{GetSystemInfoTimeout: Patience},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &TemporalClient{T: t, Client: c, Namespace: namespace}
}

// Search returns the runs that a query finds, newest first.
func (o *TemporalClient) Search(query string) []*workflowpb.WorkflowExecutionInfo {
	o.T.Helper()
	answer, err := UntilAnswered(o.T, func() (*workflowservice.ListWorkflowExecutionsResponse, error) {
		return o.ListWorkflow(o.T.Context(), &workflowservice.ListWorkflowExecutionsRequest{Namespace: o.Namespace, Query: query})
	})
	require.NoError(o.T, err)
	return answer.GetExecutions()
}

// Find waits until the newest run of an execution fits, and returns it.
func (o *TemporalClient) Find(r *Run, what string, fits func(*workflowpb.WorkflowExecutionInfo) bool) *workflowpb.WorkflowExecutionInfo {
	o.T.Helper()
	var found *workflowpb.WorkflowExecutionInfo
	RequireEventually(o.T, what, func() bool {
		runs := o.Search("RedlineExecutionId = '" + r.ID + "'")
		if len(runs) == 0 {
			return false
		}
		found = runs[0]
		return fits(found)
	})
	return found
}

// Details returns the text that the UI shows for a run, the newest one where no run is named.
func (o *TemporalClient) Details(of *commonpb.WorkflowExecution) string {
	o.T.Helper()
	var answer converter.EncodedValue
	RequireEventually(o.T, "Temporal answers a query, late when it is busy", func() bool {
		var err error
		answer, err = o.QueryWorkflow(o.T.Context(), of.GetWorkflowId(), of.GetRunId(), "__temporal_workflow_metadata")
		return err == nil
	})
	var metadata sdkpb.WorkflowMetadata
	require.NoError(o.T, answer.Get(&metadata))
	return metadata.GetCurrentDetails()
}

// Closes waits until the newest run of an execution has closed with the status, and returns its
// ids.
func (o *TemporalClient) Closes(r *Run, status enumspb.WorkflowExecutionStatus) *commonpb.WorkflowExecution {
	o.T.Helper()
	return o.Find(r, r.ID+" closes as "+status.String(), func(info *workflowpb.WorkflowExecutionInfo) bool {
		return info.GetStatus() == status
	}).GetExecution()
}

// Text returns the string in a payload, empty if there is none.
func Text(t *testing.T, payload *commonpb.Payload) string {
	t.Helper()
	var value string
	require.NoError(t, converter.GetDefaultDataConverter().FromPayload(payload, &value))
	return value
}
