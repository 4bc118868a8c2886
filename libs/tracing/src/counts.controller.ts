import { Controller, Get, Query } from '@nestjs/common';
import {
  bucketsOf,
  COUNT_MAX,
  countedSchema,
  formatTimestamp,
  gatheringMembers,
  spanFiltersSchema,
  traceFiltersSchema,
  tracesOverTimeSchema,
  type Counted,
  type SpanFilters,
  type TimedTrace,
  type TraceFilters,
  type TracesOverTime,
  facetListSchema,
  listFacetsSchema,
  type ListFacets,
} from '@spandrel/contract';
import { CurrentScope, listOf, Operation } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { SpanListStore } from './listing/span-list.store.js';
import { TraceListStore } from './listing/trace-list.store.js';
import { FacetListStore } from './listing/facet-list.store.js';

/**
 * `/api/count` (docs/spec/general.md#counts). Counts do not stand below the lists: a client may have named a trace
 * `count`.
 */
@Controller('api/count')
export class CountsController {
  constructor(
    private readonly traces: TraceListStore,
    private readonly spans: SpanListStore,
  ) {}

  @Get('traces')
  @Operation({ access: 'read', summary: 'How many traces match all filters', answer: countedSchema })
  async countTraces(
    @CurrentScope() scope: Scope,
    @Query({ schema: gatheringMembers(traceFiltersSchema) }) filters: TraceFilters,
  ) {
    return counted(await this.traces.count(scope, filters, COUNT_MAX));
  }

  @Get('traces/over-time')
  @Operation({
    access: 'read',
    summary: 'When the traces that match all filters began, by status',
    answer: tracesOverTimeSchema,
  })
  async countTracesOverTime(
    @CurrentScope() scope: Scope,
    @Query({ schema: gatheringMembers(traceFiltersSchema) }) filters: TraceFilters,
  ) {
    const times = await this.traces.listTimes(scope, filters, COUNT_MAX);
    return { ...counted(times.length), buckets: wireBuckets(times.slice(0, COUNT_MAX), filters) };
  }

  @Get('spans')
  @Operation({ access: 'read', summary: 'How many spans match all filters', answer: countedSchema })
  async countSpans(
    @CurrentScope() scope: Scope,
    @Query({ schema: gatheringMembers(spanFiltersSchema) }) filters: SpanFilters,
  ) {
    return counted(await this.spans.count(scope, filters, COUNT_MAX));
  }
}

/** @param found how many there are, up to one more than are counted. */
const counted = (found: number): Counted => ({ count: Math.min(found, COUNT_MAX), exact: found <= COUNT_MAX });

/** Where older traces were left out the buckets begin with the oldest that was counted. */
function wireBuckets(times: readonly TimedTrace[], { since, until }: TraceFilters): TracesOverTime['buckets'] {
  const isAll = times.length < COUNT_MAX;
  const range = { ...(since !== undefined && isAll && { from: since }), ...(until !== undefined && { to: until }) };
  return bucketsOf(times, range).map(({ from, to, ...counts }) => ({
    since: formatTimestamp(from),
    until: formatTimestamp(to),
    ...counts,
  }));
}

/** `/api/facets` (docs/spec/facets.md). */
@Controller('api/facets')
export class FacetsController {
  constructor(private readonly lists: FacetListStore) {}

  @Get()
  @Operation({ access: 'read', summary: 'Values that filters can take, in order', answer: facetListSchema })
  async listFacets(@CurrentScope() scope: Scope, @Query({ schema: listFacetsSchema }) query: ListFacets) {
    const values = await this.lists.list(scope, query);
    return listOf('facets', values, (value) => ({ value, count: null }));
  }
}
