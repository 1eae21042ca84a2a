// Package workflows holds the code that Temporal replays: it must be
// deterministic and knows ids, plans and times, never rows.
//
// A run holds nothing that a row does not hold. Execution is level-triggered:
// it asks for the plan of its execution, compares the live steps with what it
// drives, starts what is missing, drops the timer of what is gone, and waits
// for a signal, its timer or the result of a call; then again. The plan with the
// higher revision wins. So a signal, start, timer or result that is lost, late or
// doubled changes nothing, and a run that was reset, doubled, terminated or
// lost with its namespace goes on from the rows: its first step is always the
// same question.
//
//	Execution  execution.go, execution_steps.go: one run for an execution
//	Delivery   delivery.go: one for a destination; an activity sends for some
//	           seconds, then the run sleeps until something is due or it is signalled
//	Ingestion  ingestion.go: one for a version of a source; a retried activity
//	           for each stage
//	Job        job.go: one for a job; a retried activity, again while there is more
//	Scheduled  scheduled.go: one for an instant of a schedule of Temporal; a local
//	           activity dispatches. It has a minute, then the instant is missed
//
// Local activities are called by local alone (local.go), since their usual
// limits would fail a run while the database is away for a second.
//
// To change a workflow while runs are open, guard the change with
// workflow.GetVersion and keep the recorded histories under testdata/histories
// replaying. REDLINE_RECORD_HISTORIES=<folder> lets the test of the histories in tests
// write one of each kind of execution. Maps must not be ranged over and JSON must not
// be touched here; workflowcheck refuses both.
package workflows
