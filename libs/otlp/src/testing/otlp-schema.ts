import protobuf, { type Type } from 'protobufjs';

/** The part of OpenTelemetry's messages that this service reads, in protobuf's own language: what tests encode with. */
const SCHEMA = `
syntax = "proto3";
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message AnyValue {
  oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
    ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
  }
}
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped = 4; }
message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; }
message Status { string message = 2; uint32 code = 3; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
  uint32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10;
  repeated Event events = 11; uint32 dropped_events_count = 12;
  repeated Link links = 13; uint32 dropped_links_count = 14; Status status = 15; fixed32 flags = 16;
}
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message LogRecord {
  fixed64 time_unix_nano = 1; uint32 severity_number = 2; string severity_text = 3; AnyValue body = 5;
  repeated KeyValue attributes = 6; fixed32 flags = 8; bytes trace_id = 9; bytes span_id = 10;
  fixed64 observed_time_unix_nano = 11; string event_name = 12;
}
message ScopeLogs { InstrumentationScope scope = 1; repeated LogRecord log_records = 2; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
message Point { fixed64 time_unix_nano = 3; double as_double = 4; }
message Data { repeated Point data_points = 1; }
message Metric { string name = 1; Data gauge = 5; Data sum = 7; Data histogram = 9; Data exponential_histogram = 10; Data summary = 11; }
message ScopeMetrics { InstrumentationScope scope = 1; repeated Metric metrics = 2; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message ExportMetricsServiceRequest { repeated ResourceMetrics resource_metrics = 1; }
message PartialSuccess { int64 rejected = 1; string error_message = 2; }
message ExportServiceResponse { PartialSuccess partial_success = 1; }
message Any { string type_url = 1; bytes value = 2; }
message RpcStatus { int32 code = 1; string message = 2; repeated Any details = 3; }
message FieldViolation { string field = 1; string description = 2; }
message BadRequest { repeated FieldViolation field_violations = 1; }
`;

const { root } = protobuf.parse(SCHEMA);

/** A message type by its name, such as `ExportTraceServiceRequest`. */
export const otlpType = (name: string): Type => root.lookupType(name);

/** The bytes of a message, whose members are named as in OTLP's JSON (`resourceSpans`); bytes may be Buffers. */
export const encodeOtlp = (type: string, message: object): Buffer =>
  Buffer.from(otlpType(type).encode(otlpType(type).fromObject(message)).finish());
