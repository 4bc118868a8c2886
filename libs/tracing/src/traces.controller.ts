import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, StreamableFile } from '@nestjs/common';
import {
  createTraceSchema,
  listTracesSchema,
  patchTraceSchema,
  type CreateTrace,
  type ListTraces,
  type PatchTrace,
  type TraceListItem,
  type TraceResource,
} from '@spandrel/contract';
import { ClientGone, CurrentScope, newId, PathId, type Scope } from '@spandrel/kernel';
import { traceNotFound } from './apply-job.js';
import { TraceListStore } from './trace-list.store.js';
import { ReadTrace } from './read-trace.js';
import { RecordWrites } from './record-writes.js';
import { traceResource } from './trace-resource.js';

/** `/api/traces` (service-spec "Traces", contract.md "Traces"). */
@Controller('api/traces')
export class TracesController {
  constructor(
    private readonly writes: RecordWrites,
    private readonly lists: TraceListStore,
    private readonly reads: ReadTrace,
  ) {}

  @Post()
  async create(
    @CurrentScope() scope: Scope,
    @Body({ schema: createTraceSchema }) body: CreateTrace,
  ): Promise<TraceResource> {
    const id = body.id ?? newId();
    const { trace } = await this.writes.submit({ type: 'create_trace', scope, now: Date.now(), id, body }, 'trace');
    return traceResource(trace);
  }

  @Get()
  async list(
    @CurrentScope() scope: Scope,
    @Query({ schema: listTracesSchema }) query: ListTraces,
    @ClientGone() signal: AbortSignal,
  ): Promise<{ traces: TraceListItem[]; count: number; next_cursor: string | null }> {
    const { items, nextCursor } = await this.lists.list(scope, query, { signal });
    return { traces: items, count: items.length, next_cursor: nextCursor };
  }

  @Get(':id')
  async read(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(traceNotFound)) id: string,
    @ClientGone() signal: AbortSignal,
  ): Promise<StreamableFile> {
    return new StreamableFile(await this.reads.read(scope, id, { signal }), {
      type: 'application/json; charset=utf-8',
    });
  }

  @Patch(':id')
  async patch(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(traceNotFound)) id: string,
    @Body({ schema: patchTraceSchema }) body: PatchTrace,
  ): Promise<TraceResource> {
    const { trace } = await this.writes.submit({ type: 'patch_trace', scope, id, body }, 'trace');
    return traceResource(trace);
  }

  @Delete(':id')
  @HttpCode(200)
  async delete(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(traceNotFound)) id: string,
  ): Promise<{ trace_id: string; spans_deleted: number }> {
    const { spansDeleted } = await this.writes.submit({ type: 'delete_trace', scope, id }, 'deleted');
    return { trace_id: id, spans_deleted: spansDeleted };
  }

  /** All traces and spans of the project. */
  @Delete()
  @HttpCode(200)
  async deleteAll(
    @CurrentScope() scope: Scope,
  ): Promise<{ message: string; traces_deleted: number; spans_deleted: number }> {
    const { tracesDeleted, spansDeleted } = await this.writes.submit({ type: 'delete_all', scope }, 'deleted');
    return { message: 'all traces and spans are deleted', traces_deleted: tracesDeleted, spans_deleted: spansDeleted };
  }
}
