import { Controller, Get, Query } from '@nestjs/common';
import {
  COUNT_MAX,
  countedSchema,
  spanFiltersSchema,
  traceFiltersSchema,
  type Counted,
  type SpanFilters,
  type TraceFilters,
} from '@spandrel/contract';
import { CurrentReader, CurrentScope, Operation, type Reader, type Scope } from '@spandrel/kernel';
import { SpanCountStore } from './listing/span-count.store.js';
import { TraceListStore } from './listing/trace-list.store.js';

/**
 * `/api/count` (docs/spec/general.md#counts). Counts do not stand below the lists: a client may have named a trace
 * `count`.
 */
@Controller('api/count')
export class CountsController {
  constructor(
    private readonly traces: TraceListStore,
    private readonly spans: SpanCountStore,
  ) {}

  @Get('traces')
  @Operation({ id: 'countTraces', access: 'read', summary: 'How many traces match all filters', answer: countedSchema })
  async countTraces(
    @CurrentScope() scope: Scope,
    @Query({ schema: traceFiltersSchema }) filters: TraceFilters,
    @CurrentReader() reader: Reader,
  ): Promise<Counted> {
    return counted(await this.traces.count(scope, filters, COUNT_MAX, reader));
  }

  @Get('spans')
  @Operation({ id: 'countSpans', access: 'read', summary: 'How many spans match all filters', answer: countedSchema })
  async countSpans(
    @CurrentScope() scope: Scope,
    @Query({ schema: spanFiltersSchema }) filters: SpanFilters,
    @CurrentReader() reader: Reader,
  ): Promise<Counted> {
    return counted(await this.spans.count(scope, filters, COUNT_MAX, reader));
  }
}

/** @param found how many there are, up to one more than are counted. */
const counted = (found: number): Counted => ({ count: Math.min(found, COUNT_MAX), exact: found <= COUNT_MAX });
