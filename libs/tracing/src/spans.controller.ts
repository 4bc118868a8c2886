import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  completeSpanSchema,
  createSpanSchema,
  failSpanSchema,
  isStorableText,
  listSpansSchema,
  type CompleteSpan,
  type CreateSpan,
  type FailSpan,
  type ListSpans,
  type SpanResource,
} from '@spandrel/contract';
import { ClientGone, CurrentScope, newId, PathId, type Scope } from '@spandrel/kernel';
import { spanNotFound, traceNotFound } from './apply-job.js';
import { SpanListStore } from './span-list.store.js';
import { RecordWrites } from './record-writes.js';
import { spanResource } from './span-resource.js';
import { SpanStore } from './span.store.js';

/** `/api/spans` (service-spec "Spans", contract.md "Spans"). */
@Controller('api/spans')
export class SpansController {
  constructor(
    private readonly writes: RecordWrites,
    private readonly lists: SpanListStore,
    private readonly spans: SpanStore,
  ) {}

  @Post()
  async create(
    @CurrentScope() scope: Scope,
    @Body({ schema: createSpanSchema }) body: CreateSpan,
  ): Promise<{ id: string; trace_id: string }> {
    if (!isStorableText(body.trace_id)) throw traceNotFound();
    const id = body.id ?? newId();
    const { span } = await this.writes.submit({ type: 'create_span', scope, now: Date.now(), id, body }, 'span');
    return { id: span.id, trace_id: span.traceId };
  }

  @Post(':id/complete')
  @HttpCode(200)
  async complete(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(spanNotFound)) id: string,
    @Body({ schema: completeSpanSchema }) body: CompleteSpan,
  ): Promise<SpanResource> {
    const { span } = await this.writes.submit({ type: 'complete_span', scope, now: Date.now(), id, body }, 'span');
    return spanResource(span);
  }

  @Post(':id/fail')
  @HttpCode(200)
  async fail(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(spanNotFound)) id: string,
    @Body({ schema: failSpanSchema }) body: FailSpan,
  ): Promise<SpanResource> {
    const { span } = await this.writes.submit({ type: 'fail_span', scope, now: Date.now(), id, body }, 'span');
    return spanResource(span);
  }

  @Get()
  async list(
    @CurrentScope() scope: Scope,
    @Query({ schema: listSpansSchema }) query: ListSpans,
    @ClientGone() signal: AbortSignal,
  ): Promise<{ spans: SpanResource[]; count: number; next_cursor: string | null }> {
    const { items, nextCursor } = await this.lists.list(scope, query, { signal });
    return { spans: items, count: items.length, next_cursor: nextCursor };
  }

  @Get(':id')
  async read(@CurrentScope() scope: Scope, @Param('id', new PathId(spanNotFound)) id: string): Promise<SpanResource> {
    const span = await this.spans.find(scope, id);
    if (!span) throw spanNotFound();
    return spanResource(span);
  }

  @Delete(':id')
  @HttpCode(200)
  async delete(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(spanNotFound)) id: string,
  ): Promise<{ id: string; deleted: true }> {
    await this.writes.submit({ type: 'delete_span', scope, id }, 'span');
    return { id, deleted: true };
  }
}
