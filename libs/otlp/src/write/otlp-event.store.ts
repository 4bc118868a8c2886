import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  joinSql,
  lockedInOrder,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  limitBySize,
  text,
  type Sql,
  type WriteTx,
  tableOf,
} from '@spandrel/storage';
import { type OtlpEventRow, OtlpEventSchema } from './otlp-event.entity.js';

const otlpEventTable = tableOf(OtlpEventSchema, ['projectId', 'traceId', 'spanId', 'id']);

const COLUMNS = otlpEventTable.select('e');
const AWAITED = otlpEventTable.select('e', ['projectId', 'traceId', 'spanId']);
const EVENT = otlpEventTable.select('f', ['time', 'event']);
const UNMERGED = otlpEventTable.select('e', ['traceId', 'spanId', 'id', 'time', 'event']);
const COUNT = shapeOf({ count: integer() });
const KNOWN = shapeOf({ traceId: text(), spanId: text(), merged: integer(), bytes: integer() });

const ROWS_PER_STATEMENT = 500;
/** Bytes that a row counts beside its event. */
const ROW_BYTES = 128;
/** Bytes of rows that are read at once. */
const BYTES_PER_READ = 262_144;
/** Bytes of the events of one span that are read into it on the event loop: some 10 ms of the worst of values. */
const SMALL_BYTES = 65_536;
/** Events that are merged with one span at most. */
const EVENTS_MAX = 4_000;
/** Events that are read at once to be made something of. */
const EVENTS_PER_READ = 100;

/** A span as its sender names it. */
export interface SpanName {
  traceId: string;
  spanId: string;
}

export interface ProjectSpan extends SpanName {
  projectId: string;
}

/** That there are events of a span. */
export interface KnownEvents extends SpanName {
  /** 0 where some of them have not met it. */
  merged: number;
  bytes: number;
}

export type ReadEvent = Pick<OtlpEventRow, 'time' | 'event'>;
type UnmergedEvent = Pick<OtlpEventRow, 'traceId' | 'spanId' | 'id' | 'time' | 'event'>;

/** Log events of spans, from their arrival until `otlp.pending_hours` later. */
@Injectable()
export class OtlpEventStore {
  constructor(private readonly storage: Storage) {}

  /** Writes events; those that are there already stay as they are. @returns once they are durable. */
  async add(events: readonly OtlpEventRow[]): Promise<void> {
    // Instances that write the same rows at once wait for one another, never both.
    const ordered = events.toSorted((a, b) => (keyOfRow(a) < keyOfRow(b) ? -1 : 1));
    for (let at = 0; at < ordered.length; at += ROWS_PER_STATEMENT) {
      // Rows are parameters: long texts within a list of JSON take SQLite ten times as long.
      const rows = ordered
        .slice(at, at + ROWS_PER_STATEMENT)
        .map(
          ({ projectId, traceId, spanId, id, time, event, cameAt, position }) =>
            sql`(${projectId}, ${traceId}, ${spanId}, ${id}, ${time}, ${event}, ${cameAt}, ${position}, 0)`,
        );
      await this.storage.write((tx) =>
        tx.run(sql`insert into otlp_event (project_id, trace_id, span_id, id, time, event, came_at, position, merged)
          values ${joinSql(rows, ', ')} on conflict do nothing`),
      );
    }
  }

  /** Which of some spans have events, and how many. */
  async known(scope: Scope, spans: readonly SpanName[]): Promise<KnownEvents[]> {
    const known: KnownEvents[] = [];
    for (let at = 0; at < spans.length; at += ROWS_PER_STATEMENT) {
      const asked = askedFor(spans.slice(at, at + ROWS_PER_STATEMENT));
      known.push(
        ...(await this.storage.read(
          KNOWN.query`select e.trace_id as "traceId", e.span_id as "spanId", min(e.merged) as merged,
              sum(octet_length(e.event) + ${ROW_BYTES}) as bytes
            from otlp_event e where e.project_id = ${scope.projectId}
              and (e.trace_id, e.span_id) in (select asked.trace_id, asked.span_id from ${asked})
            group by e.trace_id, e.span_id`,
        )),
      );
    }
    return known;
  }

  /** The events of each span of which these are few and small, in the order in which they happened, of one moment that in which they were sent. */
  async *ofSmall(scope: Scope, known: readonly KnownEvents[]): AsyncGenerator<OtlpEventRow[], void, undefined> {
    let left = known.filter(({ bytes }) => bytes <= SMALL_BYTES);
    while (left.length > 0) {
      const some = limitBySize(left, BYTES_PER_READ);
      left = left.slice(some.length);
      const rows = await this.storage.read(
        COLUMNS.query`select ${COLUMNS} from otlp_event e where e.project_id = ${scope.projectId}
          and (e.trace_id, e.span_id) in (select asked.trace_id, asked.span_id from ${askedFor(some)})
          order by e.time, e.came_at, e.position, e.id`,
      );
      yield* Map.groupBy(rows, keyOfSpan).values();
    }
  }

  /** The first events of a span, in the same order: as many as may be merged with it. @param bytesMax of all of them, unless one has more. */
  ofLarge({ projectId }: Scope, { traceId, spanId }: SpanName, bytesMax: number): Promise<ReadEvent[]> {
    return this.storage.readLong(
      EVENT.query`select f.time, f.event from (
          select e.*, sum(octet_length(e.event)) over (order by e.time, e.came_at, e.position, e.id rows unbounded preceding) as so_far
          from otlp_event e where e.project_id = ${projectId} and e.trace_id = ${traceId} and e.span_id = ${spanId}
        ) f where f.so_far <= ${bytesMax} or f.so_far = octet_length(f.event)
        order by f.time, f.came_at, f.position, f.id limit ${EVENTS_MAX}`,
    );
  }

  /** Events of a name that have not met their spans so far, some at a time; those that are long are left out. */
  async *unmerged(scope: Scope, spans: readonly SpanName[], name: string): AsyncGenerator<UnmergedEvent[]> {
    const begin = `{"name":${JSON.stringify(name)},`;
    for (let at = 0; at < spans.length; at += ROWS_PER_STATEMENT) {
      const asked = askedFor(spans.slice(at, at + ROWS_PER_STATEMENT));
      for (let last: UnmergedEvent | undefined, isFull = true; isFull;) {
        const { traceId, spanId, id } = last ?? { traceId: '', spanId: '', id: '' };
        const rows: UnmergedEvent[] = await this.storage.read(
          UNMERGED.query`select ${UNMERGED} from otlp_event e where e.project_id = ${scope.projectId} and e.merged = 0
            and (e.trace_id, e.span_id) in (select asked.trace_id, asked.span_id from ${asked})
            and (e.trace_id, e.span_id, e.id) > (${traceId}, ${spanId}, ${id})
            and substr(e.event, 1, ${begin.length}) = ${begin} and octet_length(e.event) <= ${SMALL_BYTES}
            order by e.trace_id, e.span_id, e.id limit ${EVENTS_PER_READ}`,
        );
        if (rows.length > 0) yield rows;
        last = rows.at(-1);
        isFull = rows.length === EVENTS_PER_READ;
      }
    }
  }

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

  async deleteOfProject(tx: WriteTx, projectId: string): Promise<void> {
    await tx.run(sql`delete from otlp_event where ${inOrder(sql`project_id = ${projectId}`)}`);
  }

  async deleteOfTraces(tx: WriteTx, traces: readonly Omit<ProjectSpan, 'spanId'>[]): Promise<void> {
    for (const [projectId, ofProject] of byProject(traces, ({ traceId }) => traceId)) {
      for (let at = 0; at < ofProject.length; at += ROWS_PER_STATEMENT) {
        const ids = ofProject.slice(at, at + ROWS_PER_STATEMENT).map(({ traceId }) => traceId);
        const which = sql`project_id = ${projectId} and ${anyOf('trace_id', ids)}`;
        await tx.run(sql`delete from otlp_event where ${inOrder(which)}`);
      }
    }
  }

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
