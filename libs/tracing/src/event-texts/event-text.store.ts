import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { EventHistory, type ToldEvents } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import {
  atStarts,
  betweenStarts,
  DAY_MS,
  dayStart,
  integer,
  joinSql,
  nullable,
  onPostgres,
  rawSql,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  text,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import type { Within } from '../span-places.sql.js';
import type { SpanReference } from './short-span.js';
import {
  ALL_MEMBERS,
  bitOf,
  REFERRED_LENGTH_MIN,
  TEXT_MEMBERS,
  type TextMember,
  type TextMembers,
} from './text-member.js';

/** Events refer to the payloads of spans that started so long before them at most. */
const REFERRED_MS = 12 * 3_600_000;
/** How far the clocks of servers may be apart, and the transaction of an event take. */
const CLOCKS_APART_MS = 2 * 3_600_000;
/** Spans whose texts one statement keeps; between two of them the event loop turns. */
const SPANS_PER_STATEMENT = 1_000;
/** Rows that one transaction deletes. */
const PRUNED_ROWS_MAX = 500;

const FOUND = shapeOf({
  position: integer(),
  kind: nullable(text()),
  input: nullable(text()),
  output: nullable(text()),
  metadata: nullable(text()),
  error: nullable(text()),
});
const GONE = shapeOf({ id: text(), startedAt: integer() });
const NEXT = shapeOf({ next: nullable(text()) });

/** Texts of a span that are about to change. */
export interface ChangingTexts {
  id: string;
  members: TextMembers;
}

/** A reference of an event. */
export interface EventReference extends SpanReference {
  /** The number of the event. */
  seq: number;
}

/** Texts that an event refers to; `null` is one that is not there, or not asked for. */
export type ReferredTexts = Readonly<Record<TextMember, string | null>>;

/** Whether an event that is told now may refer to the payload of a span. */
export const mayRefer = (startedAt: number, now: number): boolean => startedAt >= now - REFERRED_MS;

/**
 * The texts of spans that events of the log refer to: they lie in the payloads of spans, and here once they have changed
 * there (ADR 0035).
 */
@Injectable()
export class EventTextStore {
  constructor(
    private readonly storage: Storage,
    private readonly history: EventHistory,
  ) {}

  /**
   * Keeps texts of spans as they are, for the events that refer to them. Called before they change, when the caller holds
   * the spans against other writers.
   * @param within where the spans lie.
   */
  async keep(tx: WriteTx, scope: Scope, texts: readonly ChangingTexts[], within: Within): Promise<void> {
    if (texts.length === 0) return;
    const told = await this.history.of(tx, [scope.projectId]);
    const changing = rowsFrom('c', {
      id: { type: 'text', values: texts.map(({ id }) => id) },
      members: { type: 'number', values: texts.map(({ members }) => members) },
    });
    const which = sql`s.id = c.id and s.project_id = ${scope.projectId}${within('s')} and p.project_id = ${scope.projectId}
      and p.span_id = c.id${within('p')}`;
    for (const events of told)
      await tx.run(keeping(sql`${changing} cross join span s cross join span_payload p`, which, MEMBERS_ASKED, events));
  }

  /** Keeps all texts of spans that are about to go, like {@link keep}. */
  keepAll(tx: WriteTx, scope: Scope, ids: readonly string[], within: Within): Promise<void> {
    return this.keep(
      tx,
      scope,
      ids.map((id) => ({ id, members: ALL_MEMBERS })),
      within,
    );
  }

  /** Keeps all texts of the spans whose traces are gone, like {@link keep}. */
  async keepOfGoneTraces(tx: WriteTx, scope: Scope): Promise<void> {
    const [events] = await this.history.of(tx, [scope.projectId]);
    if (!events) return;
    for (let last = { id: '', startedAt: earliest(events) }; ;) {
      const gone = await tx.all(
        GONE.query`select s.id as id, s.started_at as "startedAt" from span s
          where s.project_id = ${scope.projectId} and (s.started_at, s.id) > (${last.startedAt}, ${last.id})
          ${betweenStarts('s.started_at', last.startedAt, undefined)}
          and not exists (select 1 from trace t where t.project_id = s.project_id and t.id = s.trace_id)
          order by s.started_at, s.id limit ${SPANS_PER_STATEMENT}`,
      );
      const starts = gone.map(({ startedAt }) => startedAt);
      await this.keepAll(
        tx,
        scope,
        gone.map(({ id }) => id),
        (alias) => atStarts(`${alias}.started_at`, starts),
      );
      if (gone.length < SPANS_PER_STATEMENT) return;
      last = gone.at(-1)!;
      await nextTurn();
    }
  }

  /** Keeps all texts of the spans of some projects that started on a day, like {@link keep}; Postgres only. */
  async keepDay(tx: WriteTx, day: number, projectIds: readonly string[]): Promise<void> {
    const [from, until] = [dayStart(day), dayStart(day) + DAY_MS];
    for (const events of await this.history.of(tx, projectIds)) {
      if (earliest(events) >= until) continue;
      const ofDay: Within = (alias) => betweenStarts(`${alias}.started_at`, Math.max(from, earliest(events)), until);
      const which = sql`s.project_id = ${events.projectId} and p.project_id = s.project_id and p.span_id = s.id
        and p.started_at = s.started_at${ofDay('s')}${ofDay('p')}`;
      await tx.run(keeping(rawSql('span s, span_payload p'), which, ALWAYS, events));
    }
  }

  /**
   * The texts that events refer to, each as it was when its event was told.
   * @returns in the order of the references.
   */
  async find({ projectId }: Scope, references: readonly EventReference[]): Promise<ReferredTexts[]> {
    const asked = rowsFrom('r', {
      position: { type: 'number', values: references.map((_, index) => index) },
      span_id: { type: 'text', values: references.map(({ id }) => id) },
      started_at: { type: 'number', values: references.map(({ startedAt }) => startedAt) },
      seq: { type: 'number', values: references.map(({ seq }) => seq) },
      members: { type: 'number', values: references.map(({ members }) => members) },
    });
    const starts = references.map(({ startedAt }) => startedAt);
    const texts = TEXT_MEMBERS.map((member) => {
      const column = rawSql(member);
      const ofSpan = sql`p.project_id = ${projectId} and p.span_id = r.span_id`;
      return sql`case when (cast(r.members as bigint) & ${rawSql(String(bitOf(member)))}) <> 0 then coalesce(
          (select t.${column} from event_text t where t.project_id = ${projectId} and t.span_id = r.span_id
            and t.through_seq >= cast(r.seq as bigint) and t.${column} is not null order by t.through_seq limit 1),
          (select p.${column} from span_payload p where ${ofSpan}${onPostgres(
            sql` and p.started_at = cast(r.started_at as bigint)${atStarts('p.started_at', starts)}`,
          )})) end as ${column}`;
    });
    // One statement sees a text either in the payload or, once it has changed there, among those kept.
    const rows = await this.storage.read(
      FOUND.query`select r.position as position, ${joinSql(texts, ', ')} from ${asked}`,
    );
    const found: ReferredTexts[] = [];
    for (const { position, ...of } of rows) found[position] = of;
    return found;
  }

  /** The projects for whose events texts are kept, one after the other. @param after the one before; '' at first. */
  async nextProject(after: string): Promise<string | null> {
    const [row] = await this.storage.readLong(
      NEXT.query`select min(t.project_id) as next from event_text t where t.project_id > ${after}`,
    );
    return row?.next ?? null;
  }

  /**
   * Deletes some texts that only events before a number referred to.
   * @returns whether there may be more.
   */
  async prune(tx: WriteTx, projectId: string, beforeSeq: number): Promise<boolean> {
    const deleted = await tx.run(
      sql`delete from event_text where project_id = ${projectId} and (span_id, through_seq) in (
        select t.span_id, t.through_seq from event_text t where t.project_id = ${projectId}
        and t.through_seq < ${beforeSeq} limit ${PRUNED_ROWS_MAX})`,
    );
    return deleted === PRUNED_ROWS_MAX;
  }
}

/** Whether a member is among those that change: of the rows `c`, or always. */
type Asked = (member: TextMember) => Sql;
const MEMBERS_ASKED: Asked = (member) => sql`(cast(c.members as bigint) & ${rawSql(String(bitOf(member)))}) <> 0 and `;
const ALWAYS: Asked = () => rawSql('');

/** The start of the earliest span to whose payload an event may refer that the log still has. */
const earliest = ({ oldestAt }: ToldEvents): number => Math.min(oldestAt, Date.now()) - REFERRED_MS - CLOCKS_APART_MS;

/**
 * Copies texts of `span_payload p` that the events told so far may refer to. A text that is kept already for those events
 * stays: it is older, and events refer to it alone.
 */
function keeping(from: Sql, which: Sql, asked: Asked, events: ToldEvents): Sql {
  const kept = (member: TextMember): Sql =>
    sql`${asked(member)}octet_length(${rawSql(`p.${member}`)}) >= ${rawSql(String(REFERRED_LENGTH_MIN))}`;
  const columns = rawSql(TEXT_MEMBERS.join(', '));
  const texts = TEXT_MEMBERS.map((member) => sql`case when ${kept(member)} then ${rawSql(`p.${member}`)} end`);
  const sets = TEXT_MEMBERS.map((member) => rawSql(`${member} = coalesce(event_text.${member}, excluded.${member})`));
  return sql`insert into event_text (project_id, span_id, through_seq, ${columns})
    select p.project_id, p.span_id, ${events.newestSeq}, ${joinSql(texts, ', ')} from ${from}
    where ${which} and s.started_at >= ${earliest(events)} and (${joinSql(
      TEXT_MEMBERS.map((member) => sql`(${kept(member)})`),
      ' or ',
    )})
    on conflict (project_id, span_id, through_seq) do update set ${joinSql(sets, ', ')}`;
}
