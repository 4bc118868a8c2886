import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  betweenStarts,
  DAY_MS,
  DayPartitions,
  dayOf,
  dayStart,
  integer,
  nullable,
  onPostgres,
  onSqlite,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type LongReadOptions,
  type RowOfShape,
  type Sql,
} from '@spandrel/storage';
import { PAYLOAD_OF_SPAN, SpanStore } from '../span.store.js';
import { PAYLOAD_DAYS } from '../tables.js';

const START = shapeOf({ first: nullable(integer()) });
const DIGEST = shapeOf({ count: integer(), sum: text() });
const ID = shapeOf({ id: text() });
const HOT = shapeOf({ id: text(), startedAt: integer() });

/** Payloads one transaction takes the texts of: others that write wait for it, on SQLite all. */
const ROWS_AT_ONCE = 200;
/** Texts of so many spans of a day are taken row by row; of more, their partition is replaced. */
const ROWS_MAX = 1_000;
/** A day is read in parts, so that no statement takes long. */
const PART_MS = DAY_MS / 24;
/** How long writers to a day are waited for; and how long all may have to wait while its partition is put in place. */
const LOCK_MS = 5_000;
const SWAP_MS = 500;
const SWAPS = 3;
const PATIENT: LongReadOptions = { patient: true };

/** The digest of the texts of `span_payload p`, as `textsDigest` of the plugin API has it. */
const TEXTS_DIGEST = `('x' || substr(md5(p.span_id || ' ' || coalesce(octet_length(p.input), 0) || ' '
  || coalesce(p.input, '') || coalesce(p.output, '')), 1, 10))::bit(40)::bigint`;
const ON_SQLITE = 'cast(texts_digest(p.span_id, p.input, p.output) as integer)';
const DIGEST_OF: Sql = sql`${onSqlite(rawSql(ON_SQLITE))}${onPostgres(rawSql(TEXTS_DIGEST))}`;
const HAS_TEXTS = 'p.cold_digest is null and (p.input is not null or p.output is not null)';

/** Says which of `span_payload p` may lose their texts. @param day the number of the day of a row, as a piece of SQL. */
export type MayGo = (day: string) => string;

/** How many spans there are, and the sum of the digests of their texts. */
export interface TextsSum {
  count: number;
  sum: string;
}

/** Takes texts out of the database that are elsewhere, and adds up what they were (ADR 0087). */
@Injectable()
export class ColdPayloads {
  constructor(
    private readonly storage: Storage,
    private readonly partitions: DayPartitions,
    private readonly spans: SpanStore,
  ) {}

  /** The day of the first span of a project that starts on a day or later; `undefined` where there is none. */
  async dayFrom({ projectId }: Scope, day: number): Promise<number | undefined> {
    const [row] = await this.storage.readLong(
      START.query`select min(s.started_at) as first from span s
        where s.project_id = ${projectId} and s.started_at >= ${dayStart(day)}`,
      PATIENT,
    );
    return typeof row?.first === 'number' ? dayOf(row.first) : undefined;
  }

  /** What a day of a project has, texts that went included. */
  async sumOf({ projectId }: Scope, day: number): Promise<TextsSum> {
    let [count, sum] = [0, 0n];
    for (let from = dayStart(day); from < dayStart(day + 1); from += PART_MS) {
      const until = from + PART_MS;
      const [row] = await this.storage.readLong(
        DIGEST.query`select count(*) as count,
            cast(coalesce(sum(coalesce(p.cold_digest, ${DIGEST_OF})), 0) as text) as sum
          from span s join span_payload p on ${PAYLOAD_OF_SPAN} where s.project_id = ${projectId}
            and s.started_at >= ${from} and s.started_at < ${until}${betweenStarts('p.started_at', from, until)}`,
        PATIENT,
      );
      count += row!.count;
      sum += BigInt(row!.sum);
    }
    return { count, sum: String(sum) };
  }

  /**
   * Takes the texts of a day away, of all projects at once where it has a partition. Ends early when nothing may go any more.
   * @returns whether none is left, as some that may not go are.
   * @throws Unavailable when others were at the partition for too long.
   */
  async take(day: number, scopes: readonly Scope[], mayGo: MayGo): Promise<boolean> {
    const isWhole = (await this.partitions.days()).includes(day) && (await this.isMuch(day, scopes));
    if (isWhole) await this.replaceDay(day, mayGo);
    let left = 0;
    for (const scope of scopes) {
      if (!isWhole) await this.takeRows(scope, day, mayGo);
      left += (await this.hotOf(scope, day, undefined, 1)).length;
    }
    return left === 0;
  }

  /** Ids of spans of a day without their texts, in order, behind one. */
  async coldOf({ projectId }: Scope, day: number, behind: string, limit: number): Promise<string[]> {
    const [from, until] = [dayStart(day), dayStart(day + 1)];
    const rows = await this.storage.readLong(
      ID.query`select s.id as id from span s join span_payload p on ${PAYLOAD_OF_SPAN} where s.project_id = ${projectId}
        and s.started_at >= ${from} and s.started_at < ${until}${betweenStarts('p.started_at', from, until)}
        and p.cold_digest is not null and s.id > ${behind} order by s.id limit ${limit}`,
      PATIENT,
    );
    return rows.map(({ id }) => id);
  }

  private async isMuch(day: number, scopes: readonly Scope[]): Promise<boolean> {
    let much = 0;
    for (const scope of scopes) much += (await this.hotOf(scope, day, undefined, ROWS_MAX)).length;
    return much >= ROWS_MAX;
  }

  private async replaceDay(day: number, mayGo: MayGo): Promise<void> {
    const goes = `${HAS_TEXTS} and ${mayGo(`p.started_at / ${DAY_MS}`)}`;
    const rows = `insert into %I (project_id, span_id, started_at, kind, metadata, error, input, output, cold_digest, input_bytes,
        output_bytes)
      select p.project_id, p.span_id, p.started_at, p.kind, p.metadata, p.error, case when g.goes then null else p.input end,
        case when g.goes then null else p.output end, case when g.goes then ${TEXTS_DIGEST} else p.cold_digest end,
        case when g.goes then octet_length(p.input) else p.input_bytes end,
        case when g.goes then octet_length(p.output) else p.output_bytes end
      from %I p cross join lateral (select ${goes} as goes offset 0) g`;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.storage.write(async (tx) => {
          await tx.disableStatementTimeout();
          await PAYLOAD_DAYS.replace(tx, day, rows, LOCK_MS, SWAP_MS);
        });
      } catch (error) {
        if (attempt === SWAPS) throw error;
      }
    }
  }

  private async takeRows(scope: Scope, day: number, mayGo: MayGo): Promise<void> {
    for (let behind: RowOfShape<typeof HOT> | undefined; ;) {
      const hot = await this.hotOf(scope, day, behind, ROWS_AT_ONCE);
      behind = hot.at(-1);
      if (!behind) return;
      const ids = hot.map(({ id }) => id);
      await this.storage.write(async (tx) => {
        const { within } = await this.spans.lock(tx, scope, ids);
        await tx.run(
          sql`update span_payload as p set cold_digest = ${DIGEST_OF}, input_bytes = octet_length(p.input),
              output_bytes = octet_length(p.output), input = null, output = null
            where p.project_id = ${scope.projectId} and ${anyOf('p.span_id', ids)}${within('p')}
              and ${rawSql(HAS_TEXTS)} and ${rawSql(mayGo(String(day)))}`,
        );
      });
    }
  }

  /** Spans of a day, in start order, that have their texts. */
  private hotOf({ projectId }: Scope, day: number, behind: RowOfShape<typeof HOT> | undefined, limit: number) {
    const [from, until] = [behind?.startedAt ?? dayStart(day), dayStart(day + 1)];
    const rest = behind ? sql` and (s.started_at, s.id) > (${behind.startedAt}, ${behind.id})` : sql``;
    return this.storage.readLong(
      HOT.query`select s.id as id, s.started_at as "startedAt" from span s join span_payload p on ${PAYLOAD_OF_SPAN}
        where s.project_id = ${projectId} and s.started_at >= ${from} and s.started_at < ${until}${rest}
          ${betweenStarts('p.started_at', from, until)} and ${rawSql(HAS_TEXTS)}
        order by s.started_at, s.id limit ${limit}`,
      PATIENT,
    );
  }
}
