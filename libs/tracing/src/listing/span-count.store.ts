import { Injectable, Optional } from '@nestjs/common';
import type { SpanFilters } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { DayPartitions, Storage, type LongReadOptions, type Sorting } from '@spandrel/storage';
import { SpanStore } from '../span.store.js';
import { FoundSpans, type PlannedList } from './find-spans.js';
import { LIST_LIMITS, type ListLimits } from './list-limits.js';
import type { SpanForm } from './span-form.js';
import { searchesText } from './text/text-filter.sql.js';

/** The order in which most filters have an index; a count does not depend on it. */
const SORTING: Sorting = {
  list: 'count',
  column: 's.started_at',
  idColumn: 's.id',
  type: 'integer',
  nullable: false,
  order: 'desc',
};

/** Spans that are counted: nothing of them is loaded or kept. */
const COUNTED: SpanForm<string> = {
  load: (_scope, ids) => Promise.resolve([...ids]),
  ofWhole: ({ id }) => id,
  textLength: () => 0,
};

/** `GET /api/count/spans`: counted by the plans of the list (docs/spec/spans.md#counting-spans). */
@Injectable()
export class SpanCountStore {
  constructor(
    private readonly storage: Storage,
    private readonly spans: SpanStore,
    @Optional() private readonly limits: ListLimits = LIST_LIMITS,
    @Optional() private readonly partitions?: DayPartitions,
  ) {}

  /** How many spans all filters take, up to one more than `max`. */
  async count(scope: Scope, filters: SpanFilters, max: number, options: LongReadOptions = {}): Promise<number> {
    const { storage, spans, limits, partitions } = this;
    const query = { ...filters, sort_by: 'started_at', sort_order: 'desc', limit: max + 1 } as const;
    const found = await FoundSpans.of({ storage, spans, limits, partitions }, scope, query, SORTING, options);
    if (!found) return 0;
    if (searchesText(filters)) return (await found.fetch('valued', undefined, max + 1, COUNTED)).rows.length;
    let count = 0;
    for await (const planned of found.plans()) {
      count += await countOf(planned, max + 1 - count);
      if (count > max) break;
    }
    return count;
  }
}

const countOf = async ({ list, found }: PlannedList, max: number): Promise<number> =>
  found.where ? list.count(found.where, max) : (await found.candidates('valued', undefined, max)).length;
