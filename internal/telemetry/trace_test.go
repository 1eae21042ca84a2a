package telemetry_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

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

func TestABatchIsLinkedToEachTraceThatItIsDoneFor(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.AlwaysSample()), sdktrace.WithSyncer(spans))
	otel.SetTracerProvider(provider)
	var parents []string
	want := map[string]bool{}
	for range 2 {
		ctx, span := provider.Tracer("test").Start(t.Context(), "call")
		parents = append(parents, telemetry.TraceParent(ctx), telemetry.TraceParent(ctx), "")
		want[telemetry.TraceID(ctx)] = true
		span.End()
	}
	ctx, span := telemetry.StartBatch(t.Context(), "batch judgments", parents)
	assert.True(t, want[telemetry.TraceID(ctx)], "it is part of one of them")
	span.End()
	ended := spans.GetSpans()
	linked := map[string]bool{}
	for _, link := range ended[len(ended)-1].Links {
		linked[link.SpanContext.TraceID().String()] = true
	}
	assert.Equal(t, "batch judgments", ended[len(ended)-1].Name)
	assert.Equal(t, want, linked)
	assert.Len(t, ended[len(ended)-1].Links, 2)

	before := len(spans.GetSpans())
	_, span = telemetry.StartBatch(t.Context(), "batch judgments", []string{"", ""})
	span.End()
	assert.Len(t, spans.GetSpans(), before, "there is none where nothing is collected")
}
