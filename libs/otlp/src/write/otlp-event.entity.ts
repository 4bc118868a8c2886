import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';

/** A log event that belongs to a span: it waits for the span, and for others of the same span (ADR 0024). */
export const OtlpEventSchema = defineEntity({
  name: 'OtlpEvent',
  tableName: 'otlp_event',
  properties: {
    projectId: p.text().primary(),
    traceId: p.text().primary(),
    /** 16 hex digits, as sent. */
    spanId: p.text().primary(),
    /** A hash of the event: one that comes again is the same row. */
    id: p.text().primary(),
    /** When it happened, in nanoseconds as 20 digits. */
    time: p.text(),
    /** JSON: `{name, attributes}`. */
    event: p.text(),
    /** When it arrived here, in milliseconds since the epoch. */
    cameAt: p.bigint('number'),
    /** The place among the records of an export: senders in JavaScript send all messages of a call in one millisecond. */
    position: p.integer(),
    /** 1 once it has met its span. */
    merged: p.smallint(),
  },
  indexes: [{ name: 'otlp_event_came_at', properties: ['cameAt'] }],
});

export type OtlpEventRow = RowOf<typeof OtlpEventSchema>;
