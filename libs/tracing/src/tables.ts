import { DayTables, tableOf, type Dialect, type RowOf, type Table } from '@spandrel/storage';
import {
  COLD_COLUMNS,
  DatedPayloadSchema,
  SpanKeySchema,
  SpanPayloadSchema,
  SpanSchema,
  type DatedPayloadRow,
  type SpanRow,
} from './span.entity.js';
import { TraceSchema, TraceTagSchema, UsageMarkSchema } from './trace.entity.js';

export const traceTable = tableOf(TraceSchema, ['projectId', 'id']);
export const traceTagTable = tableOf(TraceTagSchema, ['projectId', 'tag', 'startedAt', 'traceId']);
export const usageMarkTable = tableOf(UsageMarkSchema, ['projectId', 'traceId', 'spanId']);
export const spanTable = tableOf(SpanSchema, ['projectId', 'id']);
export const spanPayloadTable = tableOf(SpanPayloadSchema, ['projectId', 'spanId']);
/** The keys of spans, a table of Postgres only. */
export const spanKeyTable = tableOf(SpanKeySchema, ['projectId', 'id']);

/** The tables of spans as each database has them: the key of a partitioned one has what it is partitioned by. */
const SPAN_TABLES: Record<Dialect, { span: Table<SpanRow>; payload: Table<DatedPayloadRow> }> = {
  // Rows may have more than the table: it takes what it has columns for.
  sqlite: {
    span: spanTable,
    payload: tableOf(SpanPayloadSchema, ['projectId', 'spanId'], COLD_COLUMNS) as unknown as Table<DatedPayloadRow>,
  },
  postgres: {
    span: tableOf(SpanSchema, ['projectId', 'id', 'startedAt']),
    payload: tableOf(DatedPayloadSchema, ['projectId', 'spanId', 'startedAt'], COLD_COLUMNS),
  },
};
export const spanTablesOf = (dialect: Dialect): (typeof SPAN_TABLES)[Dialect] => SPAN_TABLES[dialect];

const WHOLE_PAYLOADS = {
  sqlite: spanPayloadTable,
  postgres: tableOf(DatedPayloadSchema, ['projectId', 'spanId', 'startedAt']),
};
/** Payloads with what says that they are cold, which ordinary writes leave alone. */
export const payloadTableOf = (dialect: Dialect): Table<RowOf<typeof DatedPayloadSchema>> =>
  WHOLE_PAYLOADS[dialect] as Table<RowOf<typeof DatedPayloadSchema>>;

/** What lies in partitions by day on Postgres. Payloads are most of it. */
export const SPAN_DAYS = new DayTables([spanTable.name, spanPayloadTable.name]);

/** Payloads alone, of which the partition of a day is replaced when their texts go. */
export const PAYLOAD_DAYS = new DayTables([spanPayloadTable.name]);

/** Everything of a trace, from `trace t`. */
export const TRACE_COLUMNS = traceTable.select('t');

/** Everything of a span, from `span s` and `span_payload p`. */
export const SPAN_COLUMNS = spanTable
  .select('s')
  .beside(spanPayloadTable.select('p', ['kind', 'input', 'output', 'metadata', 'error', 'coldDigest']));
