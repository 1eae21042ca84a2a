package contract

import (
	"crypto/sha256"
	"encoding/hex"
)

// Workflow types.
const (
	WorkflowExecution = "Execution"
	WorkflowDelivery  = "Delivery"
	WorkflowIngestion = "Ingestion"
	WorkflowJob       = "Job"
	WorkflowScheduled = "Scheduled"
)

// Task queues. Calls of steps are on the queue of the runs that want them, with
// slots of their own (package worker says why), and deliveries have workers of their
// own, so neither slow agents nor slow receivers hold up executions.
const (
	QueueExecutions = "redline-executions"
	QueueDeliveries = "redline-deliveries"
	QueueIngestion  = "redline-ingestion"
	QueueJobs       = "redline-jobs"
)

// Activities of the Execution workflow. Plan runs as a local activity.
const (
	ActivityPlan = "execution.plan"
	ActivityCall = "execution.call"
)

// Activities of the Delivery workflow. Their values stand in recorded histories and
// stay as they are.
const (
	ActivityDispatch = "delivery.drain"
	ActivityCancel   = "delivery.cancel"
)

// ActivityStage is the activity of the Ingestion workflow.
const ActivityStage = "ingestion.stage"

// ActivityJob is the activity of the Job workflow.
const ActivityJob = "job.work"

// ActivityFire is the local activity of the Scheduled workflow.
const ActivityFire = "schedule.fire"

// SearchScheduledAt is Temporal's own search attribute with the instant at which a
// schedule wanted a run, a time.
const SearchScheduledAt = "TemporalScheduledStartTime"

// SignalChanged asks a run to look at its rows again. It carries nothing.
const SignalChanged = "changed"

// QueryState answers what a run drives at the moment.
const QueryState = "state"

// Search attributes, all of type keyword.
const (
	SearchExecutionID   = "RedlineExecutionId"
	SearchDefinitionID  = "RedlineDefinitionId"
	SearchWorkspaceID   = "RedlineWorkspaceId"
	SearchStatus        = "RedlineStatus"
	SearchCorrelationID = "RedlineCorrelationId"
	SearchKind          = "RedlineKind"
	SearchObjectID      = "RedlineObjectId"
)

// Fields of the memo of an execution's runs.
const (
	MemoExecutionID       = "executionId"
	MemoDefinitionName    = "definitionName"
	MemoDefinitionVersion = "definitionVersion"
)

// KeySpace says who made an idempotency key: keys of different makers never
// collide.
type KeySpace string

// The three name spaces of idempotency keys.
const (
	KeysOfCallers   KeySpace = "caller"
	KeysOfTriggers  KeySpace = "trigger"
	KeysOfSchedules KeySpace = "schedule"
)

// keyDigits is how many hex digits of the key's SHA-256 stand in a workflow id.
const keyDigits = 32

// ExecutionWorkflowID is the id of an execution's run. It rests on the key
// alone, so one key can never run twice, however often its start is sent.
func ExecutionWorkflowID(workspaceID, definitionID string, space KeySpace, key string) string {
	sum := sha256.Sum256([]byte(string(space) + "\n" + key))
	return "execution/" + workspaceID + "/" + definitionID + "/" + hex.EncodeToString(sum[:])[:keyDigits]
}
