import { Table } from '@spandrel/storage';
import { SpanPayloadSchema, SpanSchema, type SpanPayloadRow, type SpanRow } from './span.entity.js';
import { TraceSchema, TraceTagSchema, type TraceRow, type TraceTagRow } from './trace.entity.js';

export const traceTable = new Table<TraceRow>(TraceSchema, ['projectId', 'id']);
export const traceTagTable = new Table<TraceTagRow>(TraceTagSchema, ['projectId', 'tag', 'startedAt', 'traceId']);
export const spanTable = new Table<SpanRow>(SpanSchema, ['projectId', 'id']);
export const spanPayloadTable = new Table<SpanPayloadRow>(SpanPayloadSchema, ['projectId', 'spanId']);

/** Everything of a trace, from `trace t`. */
export const TRACE_COLUMNS = traceTable.select('t');

/** Everything of a span, from `span s` and `span_payload p`. */
export const SPAN_COLUMNS = [
  spanTable.select('s'),
  spanPayloadTable.select('p', ['kind', 'input', 'output', 'metadata', 'error']),
] as const;
