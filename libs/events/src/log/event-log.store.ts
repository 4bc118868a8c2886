import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  joinSql,
  shapeOf,
  sql,
  Storage,
  tableOf,
  limitBySize,
  text,
  type WriteTx,
} from '@spandrel/storage';
import { type EventBatch, type EventNumbers, linesOf, rowsOf } from './event-batch.js';
import { EventLogSchema, type EventLogRow } from './event-log.entity.js';

const COUNTER = shapeOf({ lastSeq: integer() });
const COUNTER_OF = COUNTER.and(shapeOf({ projectId: text() }));
const SIZED = shapeOf({ lastSeq: integer(), bytes: integer() });
const ID = shapeOf({ id: text() });
const OLDEST = shapeOf({ lastSeq: integer(), createdAt: integer(), bytes: integer() });

const log = tableOf(EventLogSchema, ['projectId', 'lastSeq']);
const EVENTS = log.select('e');

const SLICE_ROWS_MAX = 64;
/** What one transaction deletes of the log: a few milliseconds of the event loop on SQLite. */
const PRUNED_ROWS_MAX = 500;
const PRUNED_BYTES_MAX = 4 * 1024 * 1024;
const PROJECTS_AT_ONCE = 500;

@Injectable()
export class EventLogStore {
  constructor(private readonly storage: Storage) {}

  /**
   * Numbers events and writes them. Locks the project's counter until the transaction ends.
   * @param lines at least one. @returns their numbers.
   */
  async append(tx: WriteTx, scope: Scope, lines: readonly string[], createdAt: number): Promise<EventNumbers> {
    const { projectId } = scope;
    if (tx.dialect === 'postgres') return this.appendAtOnce(tx, scope, lines, createdAt);
    const [counter] = await tx.all(
      COUNTER.query`insert into event_counter (project_id, last_seq) values (${projectId}, ${lines.length})
        on conflict (project_id) do update set last_seq = event_counter.last_seq + excluded.last_seq
        returning last_seq as "lastSeq"`,
    );
    const numbers = numbersOf(counter!.lastSeq, lines);
    await tx.insert(log, await rowsOf({ projectId, ...numbers }, lines, createdAt));
    return numbers;
  }

  /** Appends like {@link append}, in one round trip. */
  private async appendAtOnce(
    tx: WriteTx,
    { projectId }: Scope,
    lines: readonly string[],
    createdAt: number,
  ): Promise<EventNumbers> {
    // Numbers from 1 on, to which the statement adds what the counter was.
    const rows = await rowsOf({ projectId, firstSeq: 1 }, lines, createdAt);
    const values = rows.map(
      (row) => sql`(cast(${row.firstSeq} as bigint), cast(${row.lastSeq} as bigint), cast(${row.lines} as text),
        cast(${row.packed} as bytea), cast(${row.sentLength} as bigint))`,
    );
    const [counter] = await tx.all(
      COUNTER.query`with counter as (
          insert into event_counter as c (project_id, last_seq) values (${projectId}, ${lines.length})
          on conflict (project_id) do update set last_seq = c.last_seq + excluded.last_seq returning last_seq
        ), written as (
          insert into event_log (project_id, first_seq, last_seq, lines, packed, sent_length, created_at)
          select ${projectId}, counter.last_seq - ${lines.length} + r.first_seq,
            counter.last_seq - ${lines.length} + r.last_seq, r.lines, r.packed, r.sent_length, ${createdAt}
          from counter, (values ${joinSql(values, ', ')}) as r(first_seq, last_seq, lines, packed, sent_length)
        ) select last_seq as "lastSeq" from counter`,
    );
    return numbersOf(counter!.lastSeq, lines);
  }

  /** The newest sequence number of a project; 0 before its first event. */
  async newest({ projectId }: Scope): Promise<number> {
    const [counter] = await this.storage.read(
      COUNTER.query`select last_seq as "lastSeq" from event_counter where project_id = ${projectId}`,
    );
    return counter?.lastSeq ?? 0;
  }

  /** The newest sequence numbers of those of the projects that have had events. */
  newestOf(projectIds: readonly string[]): Promise<{ projectId: string; lastSeq: number }[]> {
    return this.storage.read(
      COUNTER_OF.query`select project_id as "projectId", last_seq as "lastSeq" from event_counter
        where ${anyOf('project_id', projectIds)}`,
    );
  }

  /**
   * The oldest events behind a sequence number that the log has, as they were sent live: as many as fit, at least one row of
   * them. The first batch may begin before.
   * @returns nothing when there are none.
   */
  async slice(scope: Scope, afterSeq: number, bytesMax: number): Promise<EventBatch[]> {
    for (;;) {
      const sized = await this.storage.read(
        SIZED.query`select last_seq as "lastSeq", coalesce(sent_length, octet_length(lines)) as bytes from event_log
          where project_id = ${scope.projectId} and last_seq > ${afterSeq} order by last_seq limit ${SLICE_ROWS_MAX}`,
      );
      const through = limitBySize(sized, bytesMax).at(-1)?.lastSeq;
      if (through === undefined) return [];
      const rows = await this.storage.read(
        EVENTS.query`select ${EVENTS} from event_log e
          where project_id = ${scope.projectId} and last_seq > ${afterSeq} and last_seq <= ${through} order by last_seq`,
      );
      // None of them: pruned in between.
      if (rows.length > 0) return Promise.all(rows.map(batchOf));
    }
  }

  /** Ids of projects whose oldest events are older than `before`, in order, some. @param afterId where the last call ended. */
  async expiredProjects(before: number, afterId = ''): Promise<string[]> {
    const rows = await this.storage.readLong(
      ID.query`select c.project_id as id from event_counter c where c.project_id > ${afterId} and ${before} >
          (select e.created_at from event_log e where e.project_id = c.project_id order by e.last_seq limit 1)
        order by c.project_id limit ${PROJECTS_AT_ONCE}`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes the oldest events of a project that are older than `before`, as many as one transaction should.
   * @param before milliseconds since the epoch.
   * @returns whether there may be more.
   */
  async prune(tx: WriteTx, projectId: string, before: number): Promise<boolean> {
    const oldest = await tx.all(
      OLDEST.query`select last_seq as "lastSeq", created_at as "createdAt",
          octet_length(lines) + coalesce(octet_length(packed), 0) as bytes from event_log
        where project_id = ${projectId} order by last_seq limit ${PRUNED_ROWS_MAX}`,
    );
    const kept = oldest.findIndex(({ createdAt }) => createdAt >= before);
    const expired = kept === -1 ? oldest : oldest.slice(0, kept);
    const pruned = limitBySize(expired, PRUNED_BYTES_MAX);
    const through = pruned.at(-1)?.lastSeq;
    if (through === undefined) return false;
    await tx.run(sql`delete from event_log where project_id = ${projectId} and last_seq <= ${through}`);
    return pruned.length < expired.length || oldest.length === PRUNED_ROWS_MAX;
  }
}

const numbersOf = (lastSeq: number, { length }: readonly string[]): EventNumbers => ({
  firstSeq: lastSeq - length + 1,
  lastSeq,
});

async function batchOf(row: EventLogRow): Promise<EventBatch> {
  const { projectId, firstSeq, lastSeq } = row;
  return { projectId, firstSeq, lastSeq, lines: await linesOf(row) };
}
