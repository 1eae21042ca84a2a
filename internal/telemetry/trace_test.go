package telemetry_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/redline-svc/redline/internal/telemetry"
)

func TestATraceGoesOnFromItsStoredParent(t *testing.T) {
	provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.AlwaysSample()))
	ctx, span := provider.Tracer("test").Start(t.Context(), "call")
	defer span.End()
	parent := telemetry.TraceParent(ctx)
	assert.NotEmpty(t, parent)
	assert.Equal(t, telemetry.TraceID(ctx), telemetry.TraceID(telemetry.WithTraceParent(context.Background(), parent)))
}

func TestATraceThatNobodyCollectsIsNotStored(t *testing.T) {
	provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	ctx, span := provider.Tracer("test").Start(t.Context(), "call")
	defer span.End()
	assert.Empty(t, telemetry.TraceParent(ctx))
	assert.Empty(t, telemetry.TraceParent(t.Context()))
	assert.Empty(t, telemetry.TraceID(telemetry.WithTraceParent(context.Background(), "")))
}
