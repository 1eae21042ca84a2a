package telemetry

import (
	"context"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// StartTracing makes this process's tracer provider the global one. Endpoint is
// the URL of an OTLP collector, empty for none; ratio is the share of requests
// recorded, 0 to 1. The function it returns sends what is left and ends it.
func StartTracing(ctx context.Context, endpoint string, ratio float64, role string) (func(context.Context) error, error) {
	options := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "redline"),
			attribute.String("service.version", Version()),
			attribute.String("service.role", role),
		)),
		sdktrace.WithSampler(sdktrace.NeverSample()),
	}
	if endpoint != "" {
		exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint))
		if err != nil {
			return nil, fmt.Errorf("trace exporter: %w", err)
		}
		sampler := sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio))
		options = append(options, sdktrace.WithBatcher(exporter), sdktrace.WithSampler(sampler))
	}
	provider := sdktrace.NewTracerProvider(options...)
	otel.SetTracerProvider(provider)
	return provider.Shutdown, nil
}

// Tracer returns the tracer of this service.
func Tracer() trace.Tracer { return otel.Tracer("github.com/redline-svc/redline") }

// TraceID is the id of the trace that ctx belongs to, empty outside of one.
func TraceID(ctx context.Context) string {
	if id := trace.SpanContextFromContext(ctx).TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}

// TraceParent writes the trace of ctx so that it can be stored in a row (W3C
// Trace Context, traceparent); empty when the trace is not collected.
func TraceParent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier.Get(traceParentKey)
}

// WithTraceParent continues a stored trace; without one ctx is as before.
func WithTraceParent(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceParentKey: parent})
}

// StartBatch begins a span of work that is done for several stored traces together, and links it to
// each of them, once (OpenTelemetry, links between spans). Where none is collected there is no span.
func StartBatch(ctx context.Context, name string, parents []string) (context.Context, trace.Span) {
	var links []trace.Link
	for _, parent := range slices.Compact(slices.Sorted(slices.Values(parents))) {
		if of := trace.SpanContextFromContext(WithTraceParent(context.Background(), parent)); of.IsValid() {
			links = append(links, trace.Link{SpanContext: of})
		}
	}
	if len(links) == 0 {
		return ctx, trace.SpanFromContext(context.Background()) // does nothing
	}
	own := trace.ContextWithRemoteSpanContext(ctx, links[0].SpanContext) // so that it is collected as they are
	//nolint:spancheck // the caller ends it
	return Tracer().Start(own, name, trace.WithLinks(links...), trace.WithAttributes(attribute.Int("redline.batch.traces", len(links))))
}

const traceParentKey = "traceparent"
