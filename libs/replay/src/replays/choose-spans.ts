import { Injectable } from '@nestjs/common';
import {
  EXCLUDED_TAGS,
  readReplayFilters,
  REPLAY_MATCHED_MAX,
  REPLAY_SPANS,
  REPLAY_SPANS_MAX,
  type StartReplay,
} from '@spandrel/contract';
import { sampleKey } from '@spandrel/datasets';
import { DomainError, type Scope } from '@spandrel/kernel';
import { SpanListStore } from '@spandrel/tracing';

export interface ChosenSpans {
  ids: string[];
  /** How many there were to choose from. */
  matched: number;
}

/** Chooses the spans of a replay (docs/spec/replay.md#the-source). */
@Injectable()
export class ChooseSpans {
  constructor(private readonly lists: SpanListStore) {}

  /**
   * @returns the ids in the order they were named in, or the newest first: of those that match a sample, and of that as many as `max`.
   * @throws DomainError `range_too_large` for filters that take too many.
   */
  async execute(
    scope: Scope,
    { span_ids: named, filters, sample, seed, max }: StartReplay['source'],
  ): Promise<ChosenSpans> {
    const matching = named ? [...new Set(named)] : await this.matching(scope, filters);
    const most = max ?? (named || typeof sample === 'number' ? REPLAY_SPANS_MAX : REPLAY_SPANS);
    const ids = typeof sample === 'number' ? sampleOf(matching, sample, seed ?? 0) : matching;
    return { ids: ids.slice(0, most), matched: matching.length };
  }

  private async matching(scope: Scope, given: unknown): Promise<string[]> {
    const filters = { kind: 'llm_call', ...readReplayFilters(given) };
    const most = REPLAY_MATCHED_MAX + 1;
    const ids = await this.lists.ids(scope, filters, most);
    if (ids.length === most) {
      throw new DomainError(
        'range_too_large',
        `more than ${REPLAY_MATCHED_MAX} spans match; narrow the filters, such as since and until`,
      );
    }
    const { tag = [] } = filters;
    if (ids.length === 0 || EXCLUDED_TAGS.some((excluded) => tag.includes(excluded))) return ids;
    const ours = new Set<string>();
    for (const excluded of EXCLUDED_TAGS) {
      for (const id of await this.lists.ids(scope, { ...filters, tag: [...tag, excluded] }, most)) ours.add(id);
    }
    return ids.filter((id) => !ours.has(id));
  }
}

/** So many ids, chosen by chance, in their order. */
export function sampleOf(ids: readonly string[], count: number, seed: number): string[] {
  if (ids.length <= count) return [...ids];
  const keyed = ids.map((id) => ({ id, key: sampleKey(seed, id) }));
  const chosen = new Set(
    keyed
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, count)
      .map(({ id }) => id),
  );
  return ids.filter((id) => chosen.has(id));
}
