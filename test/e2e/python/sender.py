"""Sends the spans of one run of an agent by OTLP over HTTP, as any program does that knows nothing of agent-reach.

    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 python sender.py [broken|healthy]

Prints the trace id and how many spans there are, as JSON.
"""

import json
import sys

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode

provider = TracerProvider(resource=Resource.create({"service.name": "python-agent"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("order-agent")
spans = 1


def chat(text):
    global spans
    spans += 1
    with tracer.start_as_current_span("chat gpt-4o-mini", kind=SpanKind.CLIENT) as span:
        span.set_attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": "gpt-4o-mini",
                "gen_ai.usage.input_tokens": 120,
                "gen_ai.usage.output_tokens": 30,
                "gen_ai.response.finish_reasons": ["stop"],
                "gen_ai.output.messages": json.dumps(
                    [{"role": "assistant", "parts": [{"type": "text", "content": text}], "finish_reason": "stop"}]
                ),
            }
        )


def call_tool(name, arguments, result=None, error=None):
    """A tool that fails without an exception leaves its status unset, as the SDKs do."""
    global spans
    spans += 1
    with tracer.start_as_current_span(f"execute_tool {name}") as span:
        span.set_attributes(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.arguments": json.dumps(arguments),
            }
        )
        if error is not None:
            span.record_exception(error)
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(Status(StatusCode.ERROR, str(error)))
        else:
            span.set_attribute("gen_ai.tool.call.result", json.dumps(result))


def run(is_broken):
    with tracer.start_as_current_span("invoke_agent order-agent") as root:
        root.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "order-agent"})
        chat("I look the order up.")
        if is_broken:
            call_tool("order_query", {"order_id": "ORD-1"}, result={"error": "order ORD-1 not found"})
            for _ in range(5):
                call_tool("policy_search", {"query": "returns"}, result={"policies": ["within 30 days"]})
            call_tool("refund", {"order_id": "ORD-1"}, error=RuntimeError("the till is closed"))
        else:
            call_tool("order_query", {"order_id": "ORD-7"}, result={"order_id": "ORD-7", "status": "shipped"})
        chat("The order is on its way.")
        return format(root.get_span_context().trace_id, "032x")


trace_id = run(sys.argv[1:] != ["healthy"])
provider.shutdown()
print(json.dumps({"traceId": trace_id, "spans": spans}))
