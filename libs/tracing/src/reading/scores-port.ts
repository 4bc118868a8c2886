import { Injectable } from '@nestjs/common';
import type { IngestRejection, ScoreFilter, ScoreResource, ScoreSums } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions, Sql } from '@spandrel/storage';

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
}

/** What the feature `scores` does for the routes of traces and spans. */
export interface ScoresOfRecords {
  ingest(scope: Scope, items: readonly unknown[], author: string): Promise<IngestedScores>;

  /** The newest scores of a trace and of its spans. */
  ofTrace(scope: Scope, traceId: string, options: LongReadOptions): Promise<ScoreResource[]>;

  /** The scores of traces, those of their spans among them, or of spans: by their ids and names. */
  sumsOf(
    scope: Scope,
    target: 'trace' | 'span',
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<ReadonlyMap<string, ScoreSums>>;

  /** Traces, by their scores and those of their spans, or spans that all filters take; `undefined` when none can match. */
  findTargets(
    scope: Scope,
    target: 'trace' | 'span',
    filters: readonly ScoreFilter[],
    options: LongReadOptions,
  ): Promise<ScoredTargets | undefined>;
}

/** Where the feature `scores` registers itself; a server may be without it. */
@Injectable()
export class ScoresPort {
  registered: ScoresOfRecords | undefined;
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
  options: LongReadOptions,
): Promise<(Filters & { scored?: readonly Sql[] }) | undefined> {
  if (!filters.score?.length) return filters;
  const found = await port?.registered?.findTargets(scope, target, filters.score, options);
  if (!found) return undefined;
  const { ids, conditions: scored } = found;
  if (!ids) return { ...filters, scored };
  const given = filters.ids && new Set(filters.ids);
  return { ...filters, scored, ids: ids.filter((id) => given?.has(id) ?? true) };
}
