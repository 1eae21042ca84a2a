package operation

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	// callers work all the time.
	callers = 4
	// ingestEvery is how many executions a caller goes through for each source that it brings in.
	ingestEvery = 10
)

// customers work in all parts of the service at once and remember what was acknowledged.
type customers struct {
	t *testing.T
	// env asks what became of everything.
	env *kit.Env
	// next returns the workspace as it is reached by the process that takes the next call.
	next func() *kit.Env
	// patient customers repeat what was not answered; to others it is a fault of the service.
	patient    bool
	book       *kit.Ledger
	definition string
	done       chan struct{}
	over       sync.Once
	working    sync.WaitGroup

	mu sync.Mutex
	// comments are their texts, records and sources their ids.
	comments, records, sources             []string
	answers, dispatched, decided, repeated atomic.Int64
}

// newCustomers makes what they need in a workspace; two endpoints are told of what happens.
func newCustomers(env *kit.Env, next func() *kit.Env, patient bool) *customers {
	env.T.Helper()
	c := &customers{t: env.T, env: kit.Hooked(env), next: next, patient: patient, done: make(chan struct{}), book: &kit.Ledger{S: env, Path: "/events"}}
	kit.EndpointAt(env, "/hook", kit.OnlyCompleted)
	kit.EndpointAt(env, "/said", map[string]any{"filterTypes": []string{"comment.add"}})
	c.definition = kit.PipelineWithin(env, time.Second)
	kit.Annotate(env, kit.Made("spring", kit.Annotated(kit.Unique("first"), kit.Wrote("ann", "The first."))))
	return c
}

// begin lets all of them work until rest is called, which the end of a test that fails does.
func (c *customers) begin() {
	c.t.Cleanup(c.rest)
	for range callers {
		c.working.Go(func() {
			for n := 0; c.goesOn(); n++ {
				if !c.comment() || !c.record() || !c.execute() || n%ingestEvery == 0 && !c.ingest() {
					return
				}
			}
		})
	}
}

func (c *customers) goesOn() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// rest ends the work, and returns when all that was begun is acknowledged.
func (c *customers) rest() {
	c.over.Do(func() { close(c.done) })
	c.working.Wait()
}

// ask makes a call and reports whether it was taken. What is patiently repeated may have been
// taken before, without an answer.
func ask[T any](c *customers, operation string, data any) (T, bool) {
	once := func() (T, error) {
		env := c.next()
		result, err := client.Call[T](env.Ctx, env.Keyed, operation, data)
		if err == nil {
			c.answers.Add(1)
		} else {
			c.repeated.Add(1)
		}
		return result, err
	}
	if !c.patient {
		result, err := once()
		return result, assert.NoError(c.t, err, operation)
	}
	result, err := kit.UntilAnswered(c.t, once)
	if failure := redline.AsError(err); failure != nil && failure.Status == "ALREADY_EXISTS" {
		return result, true
	}
	return result, kit.NoError(c.t, err)
}

func (c *customers) remember(list *[]string, what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, what)
	return true
}

// comment adds an annotation with a comment that the endpoint is told of.
func (c *customers) comment() bool {
	text := kit.Unique("remark")
	_, taken := ask[json.RawMessage](c, client.AddAnnotations, kit.Doc("spring", map[string]any{
		"commentAnnotations": []any{kit.Annotated("a-"+text, kit.Wrote("ann", text, kit.Loud))},
	}))
	return taken && c.remember(&c.comments, text)
}

// record records a judgment.
func (c *customers) record() bool {
	id := kit.Unique("record")
	_, taken := ask[json.RawMessage](c, client.RecordJudgments, kit.Verdict("ann", "approve", map[string]any{"recordId": id, "content": id, "contentType": "matter"}))
	return taken && c.remember(&c.records, id)
}

// ingest brings a source in.
func (c *customers) ingest() bool {
	source, taken := ask[redline.IngestResult](c, client.Ingest, kit.IngestData(kit.Manual(1)))
	return taken && c.remember(&c.sources, source.SourceID)
}

// execute dispatches, waits for the person's turn and decides.
func (c *customers) execute() bool {
	data := redline.DispatchRequest{DefinitionID: c.definition, IdempotencyKey: new(kit.Unique("key"))}
	kit.WithReceiver(c.env, "/events")(&data)
	answer, taken := ask[redline.DispatchResult](c, client.StartExecution, data)
	if !taken {
		return false
	}
	c.dispatched.Add(1)
	r := c.book.Add(&kit.Run{S: c.env, ID: answer.ExecutionID, CorrelationID: answer.CorrelationID})
	step, waits := turn(r)
	if !assert.True(c.t, waits, "%s never waits for its reviewer", r.ID) {
		return false
	}
	decided, taken := ask[redline.DecideResult](c, client.RecordDecision, r.Decision(step, "ann", "approve"))
	c.decided.Add(1)
	return taken && assert.True(c.t, decided.Recorded || decided.AggregatorStatus == "idempotent", "%+v", decided)
}

// turn waits until ann is asked and returns the step's id.
func turn(r *kit.Run) (string, bool) {
	deadline, idle := time.Now().Add(kit.Recovery), kit.FollowPause
	for time.Now().Before(deadline) && r.S.Ctx.Err() == nil {
		if view, ok := r.Glance(); ok {
			for _, step := range kit.Steps(view, "review") {
				if step.Status == "waiting" {
					return step.StepID, true
				}
			}
		}
		kit.Pause(r.S.Ctx, idle)
		idle = min(2*idle, kit.LongestPause)
	}
	return "", false
}

// check proves that nothing that was acknowledged is lost, stands twice or is stuck.
func (c *customers) check() {
	c.t.Helper()
	c.book.Check()
	c.checkMessages("/hook", c.executions())
	c.checkMessages("/said", c.comments)
	for _, source := range c.sources {
		kit.BroughtIn(c.env, source, "completed")
	}
	total := kit.Judgments(c.env, map[string]any{"contentType": "matter", "limit": 1}).Total
	require.EqualValues(c.t, len(c.records), total, "each judgment once")
	require.Equal(c.t, len(c.comments)+1, kit.Counts(c.env, "ann", "spring")["spring"][0], "each comment once")
}

// executions are the ids of all.
func (c *customers) executions() (ids []string) {
	for _, r := range c.book.Runs() {
		ids = append(ids, r.ID)
	}
	return ids
}

// checkMessages waits until an endpoint was told of everything, each by one message with one body.
func (c *customers) checkMessages(path string, want []string) {
	c.t.Helper()
	kit.RequireWithin(c.t, kit.Recovery, path+" is told of everything", func() bool { return len(kit.BodiesAt(c.env, path)) >= len(want) })
	var reported []string
	for _, body := range kit.BodiesAt(c.env, path) {
		var message struct {
			Data struct {
				ExecutionID   string
				TargetComment struct{ CommentText string }
			}
		}
		require.NoError(c.t, json.Unmarshal([]byte(body), &message))
		reported = append(reported, message.Data.ExecutionID+message.Data.TargetComment.CommentText)
	}
	slices.Sort(reported)
	require.Equal(c.t, slices.Sorted(slices.Values(want)), reported, "one message for each")
}

// counts says what was done.
func (c *customers) counts() string {
	return fmt.Sprintf("%d executions and %d decisions, %d comments, %d judgments and %d sources acknowledged, %d calls repeated",
		c.dispatched.Load(), c.decided.Load(), len(c.comments), len(c.records), len(c.sources), c.repeated.Load())
}
