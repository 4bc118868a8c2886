import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getOrMake, SCORES_OF_TRACE_MAX, type ScoreResource, type ScoreSums } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { sql, type Sql } from '@spandrel/storage';
import { ScoresPort, type IngestedScores, type ScoresOfRecords, type ScoreTarget } from '@spandrel/tracing';
import { ScoreFilterStore } from './score-filter.store.js';
import { scoreResource } from './score-resource.js';
import { ScoreStore } from './score.store.js';
import { WriteScores } from './write-scores.js';

/** Scores where traces and spans are written and shown. */
@Injectable()
export class ServeScores implements ScoresOfRecords, OnModuleInit {
  constructor(
    private readonly port: ScoresPort,
    private readonly scores: ScoreStore,
    private readonly writes: WriteScores,
    private readonly filters: ScoreFilterStore,
  ) {}

  onModuleInit(): void {
    this.port.registered = this;
  }

  ingest(scope: Scope, items: readonly unknown[], author: string): Promise<IngestedScores> {
    return this.writes.ingest(scope, items, author);
  }

  async listOf(scope: Scope, target: 'trace' | 'span', id: string): Promise<ScoreResource[]> {
    const { items } = await this.scores.list(scope, { [`${target}_id`]: id, limit: SCORES_OF_TRACE_MAX });
    return items.map(scoreResource);
  }

  async sumsOf(scope: Scope, target: ScoreTarget, ids: readonly string[]): Promise<ReadonlyMap<string, ScoreSums>> {
    const own = await this.scores.sumBy(scope, target, ids);
    const ofTraces = target === 'session' ? await this.scores.sumByKey(scope, 'session', ids, {}) : [];
    return sumsOf(ids, [...own, ...ofTraces]);
  }

  async sumsOfUsers(
    scope: Scope,
    userIds: readonly string[],
    range: { since?: number | undefined; until?: number | undefined },
  ): Promise<ReadonlyMap<string, ScoreSums>> {
    return sumsOf(userIds, await this.scores.sumByKey(scope, 'user', userIds, range));
  }

  findTargets(...asked: Parameters<ScoresOfRecords['findTargets']>) {
    return this.filters.findTargets(...asked);
  }

  valuesOf({ projectId }: Scope, name: string, { from, until }: { from: number; until: number }): Sql {
    return sql`select c.project_id, c.trace_id, c.span_id, c.target_at, c.value from score c
      where c.project_id = ${projectId} and c.name = ${name} and c.target_at >= ${from} and c.target_at < ${until}
        and c.value is not null and c.trace_id is not null`;
  }

  sortTargets(...asked: Parameters<ScoresOfRecords['sortTargets']>) {
    return this.filters.sortTargets(...asked);
  }
}

/** Sums by ids and names. Names and labels are anybody's: none is looked up in an object. */
function sumsOf(ids: readonly string[], rows: Awaited<ReturnType<ScoreStore['sumBy']>>): Map<string, ScoreSums> {
  const newSum = () => ({ count: 0, values: 0, total: 0, labels: new Map<string, number>() });
  const sums = new Map(ids.map((id) => [id, new Map<string, ReturnType<typeof newSum>>()]));
  for (const { id, name, label, count, values, total } of rows) {
    const ofName = getOrMake(sums.get(id)!, name, newSum);
    ofName.count += count;
    ofName.values += values;
    ofName.total += total;
    if (label !== null) ofName.labels.set(label, (ofName.labels.get(label) ?? 0) + count);
  }
  const shown = ([name, { count, values, total, labels }]: [string, ReturnType<typeof newSum>]) =>
    [name, { count, mean: values === 0 ? null : total / values, labels: Object.fromEntries(labels) }] as const;
  return new Map([...sums].map(([id, ofId]) => [id, Object.fromEntries([...ofId].map(shown))]));
}
