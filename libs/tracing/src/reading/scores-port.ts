import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  scoreOfSort,
  withMember,
  type IngestRejection,
  type ScoreFilter,
  type ScoreResource,
  type ScoreSums,
  type SortOrder,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { rawSql, sql, startOf, type Position, type Sql } from '@spandrel/storage';

/** What became of the scores of an ingest. */
export interface IngestedScores {
  accepted: number;
  rejected: IngestRejection[];
}

/** What has certain scores: one of the ids, where these are few enough to be known, that meets the conditions. */
export interface ScoredTargets {
  ids?: readonly string[];
  /** On `trace t` or `span s`. */
  conditions: readonly Sql[];
  /** The scores by which a page is read; `undefined` where it is read by the ids, all at once. */
  order(page: ScoredPage): Promise<ScoredOrder | undefined>;
}

/** What is left of a list in start order, and how much of it is shown. */
export interface ScoredPage {
  since?: number | undefined;
  until?: number | undefined;
  sort_order: SortOrder;
  limit: number;
}

/** A table of scores and conditions on it that find traces or spans in start order; some come several times. */
export interface ScoredOrder {
  from: Sql;
  where: Sql;
  /** The columns with the start of the trace or span, or the value that is sorted by, and with its id. */
  at: string;
  id: string;
  /** Conditions that what is found so has still to meet; all where they are left out. */
  left?: readonly Sql[];
}

/** The scores of what began within a range. */
export const inStarts = (
  { where, at }: Pick<ScoredOrder, 'where' | 'at'>,
  { since, until }: { since?: number | undefined; until?: number | undefined },
): Sql =>
  sql`${where} and ${rawSql(at)} >= ${since ?? Number.MIN_SAFE_INTEGER} and ${rawSql(at)} < ${until ?? Number.MAX_SAFE_INTEGER}`;

/** The scores by which a page of a list in start order is read, where it is by scores. @param list as its cursors name it. */
export function scoresOfPage(
  query: Scored & ScoredPage & { cursor?: string | undefined },
  list: string,
): Promise<ScoredOrder | undefined> | undefined {
  const at = startOf({ list, type: 'integer' }, query.cursor)?.value as number | undefined;
  const left = at === undefined ? {} : query.sort_order === 'desc' ? { until: at + 1 } : { since: at };
  return query.orderByScores?.({ ...query, ...left });
}

/** Filters with what the one on scores comes to beside ids. */
export interface Scored {
  scored?: readonly Sql[];
  scoredOrder?: ScoredOrder | undefined;
  orderByScores?: ScoredTargets['order'];
  /** What sorts the list, where that is by a score. */
  scoreSort?: ScoredOrder | undefined;
}

export type ScoreTarget = 'trace' | 'span' | 'session';

/** What the feature `scores` does for the routes of traces and spans. */
export interface ScoresOfRecords {
  ingest(scope: Scope, items: readonly unknown[], author: string): Promise<IngestedScores>;

  /** The newest scores of a trace and of its spans, or of a span. */
  listOf(scope: Scope, target: 'trace' | 'span', id: string): Promise<ScoreResource[]>;

  /** The scores of sessions, traces or spans, those of what belongs to them among them: by their ids and names. */
  sumsOf(scope: Scope, target: ScoreTarget, ids: readonly string[]): Promise<ReadonlyMap<string, ScoreSums>>;

  /** The scores of the traces of users that began within a range, those of their spans among them. */
  sumsOfUsers(
    scope: Scope,
    userIds: readonly string[],
    range: { since?: number | undefined; until?: number | undefined },
  ): Promise<ReadonlyMap<string, ScoreSums>>;

  /** Traces, by their scores and those of their spans, or spans that all filters take; `undefined` when none can match. */
  findTargets(
    scope: Scope,
    target: 'trace' | 'span',
    filters: readonly ScoreFilter[],
  ): Promise<ScoredTargets | undefined>;

  /**
   * A select of `project_id, trace_id, span_id, target_at, value`: the values of scores of a name about what began in a range.
   * @param range in milliseconds since the epoch; `until` is not in it.
   */
  valuesOf(scope: Scope, name: string, range: { from: number; until: number }): Sql;

  /**
   * Traces, by their scores and those of their spans, or spans in the order of their values of a score, each once.
   * @param ids those that are meant; all when left out.
   */
  sortTargets(
    scope: Scope,
    target: 'trace' | 'span',
    name: string,
    order: SortOrder,
    ids?: readonly string[],
  ): ScoredOrder;
}

/** Where the feature `scores` registers itself; a server may be without it. */
@Injectable()
export class ScoresPort {
  registered: ScoresOfRecords | undefined;

  /** Traces as they are written, with what their scores come to. */
  async written(scope: Scope, traces: readonly string[], ids: readonly string[]) {
    const sums = await this.registered?.sumsOf(scope, 'trace', ids);
    return traces.map((trace, at) => withMember(trace, 'scores', JSON.stringify(sums?.get(ids[at]!) ?? {})));
  }

  /** What the scores of spans come to, by their ids. @returns nothing where `include` does not ask for them. */
  async ofSpans(
    scope: Scope,
    spans: readonly { id: string }[],
    include: string | readonly string[] = [],
  ): Promise<ReadonlyMap<string, ScoreSums> | undefined> {
    if (!include.includes('scores')) return undefined;
    const ids = spans.map(({ id }) => id);
    return (await this.registered?.sumsOf(scope, 'span', ids)) ?? new Map();
  }
}

/** Positions that are read at once. */
const POSITIONS_MAX = 4_000;

/**
 * Positions in a list in which some come several times, one after the other, each once.
 * @param read those behind one, in list order, at most as many as asked for.
 */
export async function readOnce(
  from: Position | undefined,
  count: number,
  read: (from: Position | undefined, count: number) => Promise<Position[]>,
): Promise<Position[]> {
  const once = new Map<string, Position>();
  for (let start = from, asked = count, seen = 0; ;) {
    const found = await read(start, asked);
    for (const position of found) once.set(position.id, position);
    if (found.length < asked || once.size >= count) return [...once.values()].slice(0, count);
    start = found.at(-1)!;
    seen += asked;
    asked = Math.min(POSITIONS_MAX, Math.ceil((count * seen) / once.size));
  }
}

/**
 * The scores that a list is sorted by; `undefined` in another order, `null` where nobody has such scores.
 * @param ids of what may be in the list, where they are known.
 */
export function resolveScoreSort(
  port: ScoresPort | undefined,
  scope: Scope,
  target: 'trace' | 'span',
  { sort_by: sortBy, sort_order: order }: { sort_by: string; sort_order: SortOrder },
  ids: readonly string[] | undefined,
): ScoredOrder | null | undefined {
  const name = scoreOfSort(sortBy);
  if (name === undefined) return undefined;
  return (isStorableText(name) && port?.registered?.sortTargets(scope, target, name, order, ids)) || null;
}

/** The part of filters that says which objects they are about. */
interface Filtered {
  ids?: string[] | undefined;
  score?: readonly ScoreFilter[] | undefined;
}

/**
 * Filters with the one on scores as ids and conditions.
 * @returns `undefined` when nothing can match, as where no feature keeps scores.
 */
export async function resolveScores<Filters extends Filtered>(
  port: ScoresPort | undefined,
  scope: Scope,
  target: 'trace' | 'span',
  filters: Filters,
): Promise<(Filters & Scored) | undefined> {
  if (!filters.score?.length) return filters;
  const found = await port?.registered?.findTargets(scope, target, filters.score);
  if (!found) return undefined;
  const { ids, conditions: scored, order: orderByScores } = found;
  if (!ids) return { ...filters, scored, orderByScores };
  const given = filters.ids && new Set(filters.ids);
  return { ...filters, scored, orderByScores, ids: ids.filter((id) => given?.has(id) ?? true) };
}
