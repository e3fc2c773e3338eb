// Sends the spans of one run of an agent by OTLP, as any program does that knows nothing of agent-reach.
//
//	OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 go-sender [broken|healthy]
//	OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317 OTEL_EXPORTER_OTLP_PROTOCOL=grpc go-sender [broken|healthy]
//
// Prints the trace id and how many spans there are, as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

type agent struct {
	tracer trace.Tracer
	spans  int
}

func main() {
	ctx := context.Background()
	exporter, err := newExporter(ctx)
	if err != nil {
		log.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "go-agent"))),
	)
	a := &agent{tracer: provider.Tracer("order-agent")}
	traceID := a.run(ctx, len(os.Args) < 2 || os.Args[1] != "healthy")
	if err := provider.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("{\"traceId\":%q,\"spans\":%d}\n", traceID, a.spans)
}

func newExporter(ctx context.Context) (*otlptrace.Exporter, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc" {
		return otlptracegrpc.New(ctx)
	}
	return otlptracehttp.New(ctx)
}

func (a *agent) run(ctx context.Context, isBroken bool) string {
	ctx, root := a.start(ctx, "invoke_agent order-agent", trace.SpanKindInternal)
	defer root.End()
	root.SetAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent"),
		attribute.String("gen_ai.agent.name", "order-agent"),
	)
	a.chat(ctx, "I look the order up.")
	if isBroken {
		a.callTool(ctx, "order_query", pairs{"order_id": "ORD-1"}, pairs{"error": "order ORD-1 not found"})
		for range 5 {
			a.callTool(ctx, "policy_search", pairs{"query": "returns"}, pairs{"policies": []string{"within 30 days"}})
		}
		a.callTool(ctx, "refund", pairs{"order_id": "ORD-1"}, errors.New("the till is closed"))
	} else {
		a.callTool(ctx, "order_query", pairs{"order_id": "ORD-7"}, pairs{"order_id": "ORD-7", "status": "shipped"})
	}
	a.chat(ctx, "The order is on its way.")
	return root.SpanContext().TraceID().String()
}

func (a *agent) start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	a.spans++
	return a.tracer.Start(ctx, name, trace.WithSpanKind(kind))
}

func (a *agent) chat(ctx context.Context, text string) {
	_, span := a.start(ctx, "chat gpt-4o-mini", trace.SpanKindClient)
	defer span.End()
	part := pairs{"type": "text", "content": text}
	message := pairs{"role": "assistant", "parts": []pairs{part}, "finish_reason": "stop"}
	span.SetAttributes(
		attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.provider.name", "openai"),
		attribute.String("gen_ai.request.model", "gpt-4o-mini"),
		attribute.Int("gen_ai.usage.input_tokens", 120),
		attribute.Int("gen_ai.usage.output_tokens", 30),
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{"stop"}),
		attribute.String("gen_ai.output.messages", toJSON([]pairs{message})),
	)
}

// callTool records a call. One that fails without an error leaves its status unset, as the SDKs do.
func (a *agent) callTool(ctx context.Context, name string, arguments pairs, result any) {
	_, span := a.start(ctx, "execute_tool "+name, trace.SpanKindInternal)
	defer span.End()
	span.SetAttributes(
		attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", name),
		attribute.String("gen_ai.tool.call.arguments", toJSON(arguments)),
	)
	if err, isError := result.(error); isError {
		span.RecordError(err)
		span.SetAttributes(attribute.String("error.type", "RuntimeError"))
		span.SetStatus(codes.Error, err.Error())
		return
	}
	span.SetAttributes(attribute.String("gen_ai.tool.call.result", toJSON(result)))
}

type pairs map[string]any

func toJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}
