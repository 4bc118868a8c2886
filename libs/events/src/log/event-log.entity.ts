import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';

/**
 * The events of one transaction in one project, one row for many, so that the log costs a transaction one insert.
 * Sequence numbers are the project's own and have no gaps.
 */
export const EventLogSchema = defineEntity({
  name: 'EventLog',
  tableName: 'event_log',
  properties: {
    projectId: p.text().primary(),
    lastSeq: p.bigint('number').primary(),
    firstSeq: p.bigint('number'),
    /** One text a line, in order, for each event: the JSON of its `data:`. Empty where they are packed. */
    lines: p.text(),
    createdAt: p.bigint('number'),
    /** The lines, packed by zstd (`event-rows.ts`). */
    packed: p.blob().nullable(),
    /** Bytes of all events as they are sent, where they are packed. */
    sentLength: p.bigint('number').nullable(),
  },
});

export type EventLogRow = RowOf<typeof EventLogSchema>;

/**
 * The newest sequence number of a project. Its row is locked from the numbering of a transaction's events to its commit,
 * so that numbers become visible in their order: who sees one has all before it.
 */
export const EventCounterSchema = defineEntity({
  name: 'EventCounter',
  tableName: 'event_counter',
  properties: {
    projectId: p.text().primary(),
    lastSeq: p.bigint('number'),
  },
});
