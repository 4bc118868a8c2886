import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  completeSpanSchema,
  createSpanSchema,
  failSpanSchema,
  gatheringMembers,
  isStorableText,
  listSpansInViewSchema,
  type CompleteSpan,
  type CreateSpan,
  type FailSpan,
  type ListSpansInView,
  readSpanAnswerSchema,
  readSpanSchema,
  type ReadSpanQuery,
  spanCreatedSchema,
  spanSchema,
  spansInViewSchema,
  deletedSchema,
} from '@spandrel/contract';
import { CurrentScope, PathId, Operation, WrittenJson, writtenPage, deleted } from '@spandrel/http';
import { currentContext, newId, type Scope } from '@spandrel/kernel';
import { spanNotFound, traceNotFound } from './write/apply-job.js';
import { SpanOutlineStore } from './outline/span-outline.store.js';
import { costOfSpan } from './pricing/cost-of-span.js';
import { PRICING, type PricingTable } from './pricing/pricing.js';
import { SpanListStore } from './listing/span-list.store.js';
import { RecordWrites } from './write/record-writes.js';
import { ScoresPort } from './reading/scores-port.js';
import { spanTexts, spanTextsWith } from './span-json.js';
import { SpanStore } from './span.store.js';

/** `/api/spans` (docs/spec/spans.md). */
@Controller('api/spans')
export class SpansController {
  constructor(
    private readonly writes: RecordWrites,
    private readonly lists: SpanListStore,
    private readonly spans: SpanStore,
    @Inject(PRICING) private readonly pricing: PricingTable,
    private readonly scores: ScoresPort,
    private readonly outlines: SpanOutlineStore,
  ) {}

  @Post()
  @Operation({
    access: 'ingest',
    summary: 'Start a span',
    answer: spanCreatedSchema,
    problems: ['trace_not_found', 'id_conflict'],
  })
  async createSpan(@CurrentScope() scope: Scope, @Body({ schema: createSpanSchema }) body: CreateSpan) {
    if (!isStorableText(body.trace_id)) throw traceNotFound();
    const id = body.id ?? newId();
    const { span } = await this.writes.execute({ type: 'create_span', scope, now: Date.now(), id, body }, 'span');
    return { id: span.id, trace_id: span.traceId };
  }

  @Post(':id/complete')
  @HttpCode(200)
  @Operation({
    access: 'ingest',
    summary: 'Complete a running span',
    answer: spanSchema,
    problems: ['span_already_finished'],
  })
  async completeSpan(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(spanNotFound)) id: string,
    @Body({ schema: completeSpanSchema }) body: CompleteSpan,
  ) {
    const { span } = await this.writes.execute({ type: 'complete_span', scope, now: Date.now(), id, body }, 'span');
    return new WrittenJson(spanTexts(span));
  }

  @Post(':id/fail')
  @HttpCode(200)
  @Operation({
    access: 'ingest',
    summary: 'Fail a running span',
    answer: spanSchema,
    problems: ['span_already_finished'],
  })
  async failSpan(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(spanNotFound)) id: string,
    @Body({ schema: failSpanSchema }) body: FailSpan,
  ) {
    const { span } = await this.writes.execute({ type: 'fail_span', scope, now: Date.now(), id, body }, 'span');
    return new WrittenJson(spanTexts(span));
  }

  @Get()
  @Operation({ access: 'read', summary: 'Spans that match all filters', answer: spansInViewSchema })
  async listSpans(
    @CurrentScope() scope: Scope,
    @Query({ schema: gatheringMembers(listSpansInViewSchema) }) { view, preview, include, ...query }: ListSpansInView,
  ) {
    if (view === 'outline') {
      const { items, nextCursor } = await this.lists.listOutlines(scope, query, preview);
      const sums = await this.scores.ofSpans(scope, items, include);
      const ids = include?.includes('metadata') ? items.map(({ id }) => id) : [];
      const given = await this.outlines.metadataOf(scope, ids);
      const spans = items.map((span) => ({
        ...span,
        metadata: { ...given.get(span.id), ...span.metadata },
        ...(sums && { scores: sums.get(span.id) ?? {} }),
      }));
      return { spans, count: items.length, next_cursor: nextCursor };
    }
    const { items, nextCursor } = await this.lists.list(scope, query);
    const sums = await this.scores.ofSpans(scope, items, include);
    if (!sums) return writtenPage('spans', items.values().map(spanTexts), nextCursor);
    const scored = items.map((span) => spanTextsWith(span, { scores: sums.get(span.id) ?? {} }));
    return writtenPage('spans', scored, nextCursor);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'A span', answer: readSpanAnswerSchema })
  async getSpan(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(spanNotFound)) id: string,
    @Query({ schema: readSpanSchema }) { include }: ReadSpanQuery,
  ) {
    const span = await this.spans.find(scope, id);
    if (!span) throw spanNotFound();
    const scores = (await this.scores.registered?.listOf(scope, 'span', id)) ?? [];
    const members = {
      cost: include === undefined ? undefined : costOfSpan(span, this.pricing),
      scores: scores.length === 0 ? undefined : scores,
    };
    return new WrittenJson(spanTextsWith(span, members));
  }

  @Delete(':id')
  @Operation({ access: 'write', summary: 'Delete a span', audited: ['span.deleted'], answer: deletedSchema })
  async deleteSpan(@CurrentScope() scope: Scope, @Param('id', new PathId(spanNotFound)) id: string) {
    await this.writes.execute({ type: 'delete_span', scope, id, context: currentContext() }, 'span');
    return deleted(id);
  }
}
