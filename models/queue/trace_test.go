package queue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/queue"
)

// collected is the context of a call whose trace is collected.
func collected(t *testing.T) context.Context {
	t.Helper()
	ctx, span := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.AlwaysSample())).Tracer("test").Start(t.Context(), "call")
	t.Cleanup(func() { span.End() })
	return ctx
}

func (e *env) putIn(ctx context.Context, keys ...string) {
	e.t.Helper()
	require.NoError(e.t, e.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, key := range keys {
			queue.Put(tx, queue.Work{Kind: queue.Jobs, Key: key, WorkspaceID: key})
		}
		return nil
	}))
}

func (e *env) traces() map[string]string {
	e.t.Helper()
	found := map[string]string{}
	for _, c := range e.claim(queue.Jobs, "", 10).Rows {
		found[c.Key] = c.TraceParent
	}
	return found
}

func TestWorkHasTheTraceOfTheCallThatPutIt(t *testing.T) {
	t.Parallel()
	e, first, second := newEnv(t), collected(t), collected(t)
	e.putIn(first, "of the first", "of both", "of the first, put again")
	e.putIn(second, "of both")
	e.putIn(t.Context(), "of a call that nobody collects", "of the first, put again")
	require.Equal(t, map[string]string{
		"of the first":                   telemetry.TraceParent(first),
		"of both":                        telemetry.TraceParent(second),
		"of the first, put again":        telemetry.TraceParent(first),
		"of a call that nobody collects": "",
	}, e.traces())
}

func TestWorkHasTheTraceHoweverItsTransactionBegins(t *testing.T) {
	t.Parallel()
	e, call := newEnv(t), collected(t)
	require.NoError(t, e.db.InTx(call, func(tx *pg.Tx) error {
		queue.Put(tx, queue.Work{Kind: queue.Jobs, Key: "by itself", WorkspaceID: "ws_a"})
		return tx.Gorm().Exec(`SELECT 1`).Error
	}))
	require.NoError(t, e.db.InTx(call, func(tx *pg.Tx) error {
		queue.Put(tx, queue.Work{Kind: queue.Jobs, Key: "with a question", WorkspaceID: "ws_b"})
		var one int
		return tx.QueryRow(call, `SELECT 1`).Scan(&one)
	}))
	parent := telemetry.TraceParent(call)
	require.Equal(t, map[string]string{"by itself": parent, "with a question": parent}, e.traces())
}
