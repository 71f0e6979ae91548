package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const scope = "github.com/a-seed-11b9befa/flow"

// Exporters send spans and metrics; those that are not wanted do nothing.
type exporters struct {
	tracer      trace.Tracer
	tokens      metric.Int64Histogram
	operations  metric.Float64Histogram // of models and tools, in seconds
	steps, runs metric.Float64Histogram // in seconds
	cost        metric.Float64Counter

	contents bool // prompts, answers and arguments are sent, too
	closers  []func(context.Context) error
}

// open opens the exporters that the environment asks for. failed is told of what could not be sent.
func open(ctx context.Context, failed func(error)) (*exporters, error) {
	if p := os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"); p != "" && p != "http/protobuf" {
		failed(errors.New("OTEL_EXPORTER_OTLP_PROTOCOL is " + p + ": only http/protobuf is supported, and was used"))
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(failed))
	about, err := resource.Merge(resource.NewSchemaless(attribute.String("service.name", "flow")), resource.Environment())
	if err != nil {
		return nil, err
	}
	spans := []sdktrace.TracerProviderOption{sdktrace.WithResource(about), sdktrace.WithIDGenerator(namer{})}
	metrics := []sdkmetric.Option{sdkmetric.WithResource(about)}
	disabled := strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true")
	if !disabled && os.Getenv("OTEL_TRACES_EXPORTER") != "none" {
		to, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, err
		}
		spans = append(spans, sdktrace.WithBatcher(to, sdktrace.WithBlocking())) // whoever waits is no run
	}
	if !disabled && os.Getenv("OTEL_METRICS_EXPORTER") != "none" {
		to, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return nil, err
		}
		metrics = append(metrics, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(to)))
	}
	traced, measured := sdktrace.NewTracerProvider(spans...), sdkmetric.NewMeterProvider(metrics...)
	e := &exporters{tracer: traced.Tracer(scope), closers: []func(context.Context) error{traced.Shutdown, measured.Shutdown}}
	switch strings.ToUpper(os.Getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")) {
	case "", "FALSE", "0", "NO_CONTENT":
	default:
		e.contents = true
	}
	return e, e.instruments(measured.Meter(scope))
}

func (e *exporters) instruments(m metric.Meter) error {
	var errs [5]error
	seconds := metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
	long := metric.WithExplicitBucketBoundaries(0.1, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200)
	e.tokens, errs[0] = m.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"), metric.WithDescription("Tokens of a request to a model."),
		metric.WithExplicitBucketBoundaries(1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864))
	e.operations, errs[1] = m.Float64Histogram("gen_ai.client.operation.duration", metric.WithUnit("s"), metric.WithDescription("Duration of a request to a model."), seconds)
	e.steps, errs[2] = m.Float64Histogram("flow.step.duration", metric.WithUnit("s"), metric.WithDescription("Duration of a step or an element."), long)
	e.runs, errs[3] = m.Float64Histogram("flow.run.duration", metric.WithUnit("s"), metric.WithDescription("Duration of a process of a run."), long)
	e.cost, errs[4] = m.Float64Counter("flow.cost", metric.WithUnit("{USD}"), metric.WithDescription("Cost of requests to models whose price is known."))
	return errors.Join(errs[:]...)
}

// close sends what is left.
func (e *exporters) close(ctx context.Context) error {
	var errs []error
	for _, closer := range e.closers {
		errs = append(errs, closer(ctx))
	}
	return errors.Join(errs...)
}

// A namer gives a span the name that stands in the context.
type namer struct{}

type nameKey struct{}

// A name is that of a span.
type name struct {
	trace trace.TraceID
	span  trace.SpanID
}

func (namer) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	n, _ := ctx.Value(nameKey{}).(name)
	return n.trace, n.span
}

func (n namer) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, span := n.NewIDs(ctx)
	return span
}
