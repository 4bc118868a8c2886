import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isStorableText, numberOf, type EvalFilter } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { anyOf, joinSql, mayContainJson, sql, type Sql } from '@spandrel/storage';
import { SOURCE } from '../datapoint.entity.js';
import { DatasetSnapshots, type Snapshot } from './dataset-snapshots.js';

/** The values of a datapoint's metadata that are wanted, by key. */
export type WantedMetadata = NonNullable<EvalFilter['metadata']>;

/**
 * Whether a datapoint's metadata has all of the wanted values. A text also is a number or a boolean that is written so, since a query
 * and a command line have texts alone; a number or a boolean is nothing but itself.
 */
export const hasMetadata = (metadata: unknown, wanted: WantedMetadata): boolean =>
  Object.entries(wanted).every(([key, value]) => {
    const found = Object.hasOwn(Object(metadata), key) ? (metadata as Record<string, unknown>)[key] : undefined;
    const number = numberOf(found);
    if (typeof value !== 'string') return (number ?? found) === value;
    if (number === undefined) return found === value || (typeof found === 'boolean' && String(found) === value);
    return String(number) === value || (JSON.isRawJSON(found) && found.rawJSON === value);
  });

/** Rows of `datapoint p` that may have the wanted metadata: all that {@link hasMetadata} takes, and a few more. */
export const mayHaveMetadata = (wanted: WantedMetadata = {}): Sql[] =>
  Object.entries(wanted)
    .flatMap(([key, value]) => [key, String(value)])
    .map((text) => mayContainJson('p.kind', text));

/** Orders things at random, by seed and id alone: the same whatever order they are stored in, and whichever others there are. */
export const sampleKey = (seed: number, id: string): string => hash('sha256', `${seed} ${id}`, 'hex');

/** Chooses datapoints of a snapshot by a filter (docs/spec/evaluations.md#a-part-of-the-dataset). */
@Injectable()
export class ChooseDatapoints {
  constructor(private readonly snapshots: DatasetSnapshots) {}

  /**
   * @returns ids in the order of the dataset: of those that the filter takes a `sample`, and of that the first `limit`. Ids that the
   *   snapshot does not have are passed over.
   */
  async execute(scope: Scope, snapshot: Snapshot, filter: EvalFilter): Promise<string[]> {
    const { sample, limit } = filter;
    const most = limit ?? Infinity;
    const where = buildConditions(filter);
    let chosen: string[] = [];
    let sampled: { id: string; key: string }[] = [];
    for await (const ids of this.snapshots.idSlices(scope, snapshot, where)) {
      const matching = await this.matching(scope, snapshot, ids, filter);
      if (typeof sample === 'number') {
        const more = matching.map((id) => ({ id, key: sampleKey(filter.seed ?? 0, id) }));
        // What is sorted already is merged: each slice costs little.
        sampled = [...sampled, ...more].toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, sample);
      } else {
        chosen = chosen.concat(matching);
      }
      if (chosen.length >= most) break;
    }
    if (typeof sample === 'number') chosen = sampled.map(({ id }) => id).toSorted();
    return chosen.slice(0, most);
  }

  private async matching(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    { metadata: wanted }: EvalFilter,
  ): Promise<readonly string[]> {
    if (!wanted || ids.length === 0) return ids;
    const metadata = await this.snapshots.metadata(scope, snapshot, ids);
    return ids.filter((id) => hasMetadata(metadata.get(id), wanted));
  }
}

function buildConditions({ metadata, source, ids }: EvalFilter): Sql {
  const conditions = [sql`1 = 1`, ...mayHaveMetadata(metadata ?? {})];
  if (ids) conditions.push(anyOf('p.id', ids.filter(isStorableText)));
  if (source)
    conditions.push(
      sql`p.source in (${joinSql(
        source.map((name) => sql`${SOURCE[name]}`),
        ', ',
      )})`,
    );
  return joinSql(conditions, ' and ');
}
