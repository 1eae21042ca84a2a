package telemetry

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// QueryTimer times statements into redline_db_query_seconds. A statement is
// named by its verb and its first table; its values are never looked at.
type QueryTimer struct {
	metrics *Metrics
	names   sync.Map // statement -> name
	known   atomic.Int64
}

// NewQueryTimer makes a timer.
func NewQueryTimer(m *Metrics) *QueryTimer { return &QueryTimer{metrics: m} }

// maxNames bounds the names kept: some statements are written again each time.
const maxNames = 1000

// batch is the name of statements that travel together.
const batch = "batch"

type timedQuery struct {
	name    string
	started time.Time
}

type timedQueryKey struct{}

// TraceQueryStart begins a statement; it implements pgx.QueryTracer.
func (t *QueryTimer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return begin(ctx, t.name(data.SQL))
}

// TraceQueryEnd ends it.
func (t *QueryTimer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	t.end(ctx)
}

// TraceBatchStart begins statements that travel together; it implements pgx.BatchTracer.
func (t *QueryTimer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return begin(ctx, batch)
}

// TraceBatchQuery is one of them; they are timed as a whole.
func (t *QueryTimer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd ends them.
func (t *QueryTimer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) {
	t.end(ctx)
}

func begin(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, timedQueryKey{}, timedQuery{name: name, started: time.Now()})
}

func (t *QueryTimer) end(ctx context.Context) {
	if q, ok := ctx.Value(timedQueryKey{}).(timedQuery); ok {
		t.metrics.QuerySeconds.WithLabelValues(q.name).Observe(time.Since(q.started).Seconds())
	}
}

func (t *QueryTimer) name(statement string) string {
	if name, ok := t.names.Load(statement); ok {
		return name.(string)
	}
	name := nameOf(statement)
	if t.known.Load() < maxNames {
		t.known.Add(1)
		t.names.Store(statement, name)
	}
	return name
}

// action finds what a statement does first to which table.
var action = regexp.MustCompile(`(?i)\b(insert\s+into|update|delete\s+from|from)\s+"?([a-z_][a-z0-9_]*)`)

func nameOf(statement string) string {
	for _, found := range action.FindAllStringSubmatch(statement, -1) {
		verb := strings.ToLower(strings.Fields(found[1])[0])
		if verb == "from" {
			verb = "select"
		}
		if table := strings.ToLower(found[2]); table != "skip" && table != "set" {
			return verb + " " + table
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(statement)), " ")
	switch first {
	case "begin", "commit", "rollback", "select", "set":
		return first
	default:
		return "other"
	}
}
