import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  lockedInOrder,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import type { OtlpEventRow } from './otlp-event.entity.js';
import { otlpEventTable } from './tables.js';

const COLUMNS = otlpEventTable.select('e');
const AWAITED = otlpEventTable.select('e', ['projectId', 'traceId', 'spanId']);
const COUNT = shapeOf({ count: integer() });

/** Rows that one statement reads or writes. */
const ROWS_PER_STATEMENT = 500;

/** A span as its sender names it. */
export interface SpanName {
  traceId: string;
  spanId: string;
}

/** A span as its sender names it, of one project. */
export interface ProjectSpan extends SpanName {
  projectId: string;
}

/** Log events of spans, from their arrival until `otlp.pending_hours` later. */
@Injectable()
export class OtlpEventStore {
  constructor(private readonly storage: Storage) {}

  /** Writes events; those that are there already stay as they are. @returns once they are durable. */
  async add(events: readonly OtlpEventRow[]): Promise<void> {
    // Instances that write the same rows at once wait for one another, never both.
    const ordered = events.toSorted((a, b) => (keyOfRow(a) < keyOfRow(b) ? -1 : 1));
    for (let at = 0; at < ordered.length; at += ROWS_PER_STATEMENT) {
      const some = ordered.slice(at, at + ROWS_PER_STATEMENT);
      const text = (name: 'projectId' | 'traceId' | 'spanId' | 'id' | 'time' | 'event') =>
        ({ type: 'text', values: some.map((event) => event[name]) }) as const;
      const rows = rowsFrom('r', {
        project_id: text('projectId'),
        trace_id: text('traceId'),
        span_id: text('spanId'),
        id: text('id'),
        time: text('time'),
        event: text('event'),
        came_at: { type: 'number', values: some.map(({ cameAt }) => cameAt) },
        position: { type: 'number', values: some.map(({ position }) => position) },
      });
      await this.storage.write((tx) =>
        tx.run(sql`insert into otlp_event (project_id, trace_id, span_id, id, time, event, came_at, position, merged)
          select r.project_id, r.trace_id, r.span_id, r.id, r.time, r.event, cast(r.came_at as bigint), cast(r.position as integer), 0 from ${rows}
          where true on conflict do nothing`),
      );
    }
  }

  /** The events of some spans in the order in which they happened, of one moment that in which they were sent, by trace and span id. */
  async ofSpans(scope: Scope, spans: readonly SpanName[]): Promise<Map<string, OtlpEventRow[]>> {
    const found: OtlpEventRow[] = [];
    for (let at = 0; at < spans.length; at += ROWS_PER_STATEMENT) {
      const asked = askedFor(spans.slice(at, at + ROWS_PER_STATEMENT));
      found.push(
        ...(await this.storage.read(
          COLUMNS.query`select ${COLUMNS} from otlp_event e where e.project_id = ${scope.projectId}
            and (e.trace_id, e.span_id) in (select asked.trace_id, asked.span_id from ${asked}) 
            order by e.time, e.came_at, e.position, e.id`,
        )),
      );
    }
    return Map.groupBy(found, keyOfSpan);
  }

  /** Notes that the events of some spans have met them. */
  async setMerged(scope: Scope, spans: readonly SpanName[]): Promise<void> {
    for (let at = 0; at < spans.length; at += ROWS_PER_STATEMENT) {
      const asked = askedFor(spans.slice(at, at + ROWS_PER_STATEMENT));
      const which = sql`project_id = ${scope.projectId} and merged = 0
        and (trace_id, span_id) in (select asked.trace_id, asked.span_id from ${asked})`;
      await this.storage.write((tx) => tx.run(sql`update otlp_event set merged = 1 where ${inOrder(which)}`));
    }
  }

  /** Spans of all projects that have events which did not meet them so far, in the order of their keys, behind one. */
  spansAwaited(behind: ProjectSpan, limit: number): Promise<ProjectSpan[]> {
    const { projectId, traceId, spanId } = behind;
    return this.storage.readLong(
      AWAITED.query`select distinct ${AWAITED} from otlp_event e where e.merged = 0
        and (e.project_id, e.trace_id, e.span_id) > (${projectId}, ${traceId}, ${spanId})
        order by 1, 2, 3 limit ${limit}`,
    );
  }

  /** Deletes the events of a project. */
  async deleteOfProject(tx: WriteTx, projectId: string): Promise<void> {
    await tx.run(sql`delete from otlp_event where ${inOrder(sql`project_id = ${projectId}`)}`);
  }

  /** Deletes the events of traces of any projects. */
  async deleteOfTraces(tx: WriteTx, traces: readonly Omit<ProjectSpan, 'spanId'>[]): Promise<void> {
    for (const [projectId, ofProject] of byProject(traces, ({ traceId }) => traceId)) {
      for (let at = 0; at < ofProject.length; at += ROWS_PER_STATEMENT) {
        const ids = ofProject.slice(at, at + ROWS_PER_STATEMENT).map(({ traceId }) => traceId);
        const which = sql`project_id = ${projectId} and ${anyOf('trace_id', ids)}`;
        await tx.run(sql`delete from otlp_event where ${inOrder(which)}`);
      }
    }
  }

  /** Deletes the events of spans of any projects. */
  async deleteOfSpans(tx: WriteTx, spans: readonly ProjectSpan[]): Promise<void> {
    for (const [projectId, ofProject] of byProject(spans, keyOfSpan)) {
      for (let at = 0; at < ofProject.length; at += ROWS_PER_STATEMENT) {
        const asked = askedFor(ofProject.slice(at, at + ROWS_PER_STATEMENT));
        const which = sql`project_id = ${projectId} and (trace_id, span_id) in (select asked.trace_id, asked.span_id from ${asked})`;
        await tx.run(sql`delete from otlp_event where ${inOrder(which)}`);
      }
    }
  }

  /** Deletes the events of all projects that arrived before a moment. @returns how many of them never met their span. */
  expire(before: number): Promise<number> {
    return this.storage.write(async (tx) => {
      const [row] = await tx.all(
        COUNT.query`select count(*) as count from otlp_event e where e.came_at < ${before} and e.merged = 0`,
      );
      await tx.run(sql`delete from otlp_event where ${inOrder(sql`came_at < ${before}`)}`);
      return row!.count;
    });
  }
}

export const keyOfSpan = ({ traceId, spanId }: SpanName): string => `${traceId} ${spanId}`;

const keyOfRow = ({ traceId, spanId, id }: OtlpEventRow): string => `${traceId} ${spanId} ${id}`;

/** Events are changed and deleted by instances that know of different spans: never in an order of their own. */
const inOrder = (which: Sql): Sql => lockedInOrder(otlpEventTable, which);

/** The members of each project in the order of a key, so that what one statement cannot hold goes on in the same order. */
function byProject<Member extends { projectId: string }>(
  members: readonly Member[],
  keyOf: (member: Member) => string,
): [projectId: string, members: Member[]][] {
  const ordered = members.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const grouped = [...Map.groupBy(ordered, ({ projectId }) => projectId)];
  return grouped.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const askedFor = (spans: readonly SpanName[]): Sql =>
  rowsFrom('asked', {
    trace_id: { type: 'text', values: spans.map(({ traceId }) => traceId) },
    span_id: { type: 'text', values: spans.map(({ spanId }) => spanId) },
  });
