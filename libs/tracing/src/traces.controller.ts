import { Body, Controller, Delete, Get, Param, Patch, Post, Query, StreamableFile } from '@nestjs/common';
import {
  createTraceSchema,
  gatheringMembers,
  listPreviewedTracesSchema,
  patchTraceSchema,
  readTraceSchema,
  type CreateTrace,
  type ListPreviewedTraces,
  type PatchTrace,
  type ReadTraceQuery,
  traceSchema,
  traceListSchema,
  traceInViewSchema,
  traceDeletedSchema,
  tracesDeletedSchema,
} from '@spandrel/contract';
import { CurrentScope, PathId, WrittenJson, Operation, writtenPage } from '@spandrel/http';
import { currentContext, newId, type Scope } from '@spandrel/kernel';
import { traceNotFound } from './write/apply-job.js';
import { TraceListStore } from './listing/trace-list.store.js';
import { PreviewTraces } from './outline/preview-traces.js';
import { ReadTrace } from './read-trace.js';
import { RecordWrites } from './write/record-writes.js';
import { ScoresPort } from './reading/scores-port.js';
import { traceJson } from './trace-resource.js';

/** `/api/traces` (docs/spec/traces.md). */
@Controller('api/traces')
export class TracesController {
  constructor(
    private readonly writes: RecordWrites,
    private readonly lists: TraceListStore,
    private readonly reads: ReadTrace,
    private readonly previews: PreviewTraces,
    private readonly scores: ScoresPort,
  ) {}

  @Post()
  @Operation({ access: 'ingest', summary: 'Start a trace', answer: traceSchema, problems: ['id_conflict'] })
  async createTrace(@CurrentScope() scope: Scope, @Body({ schema: createTraceSchema }) body: CreateTrace) {
    const id = body.id ?? newId();
    const { trace } = await this.writes.execute({ type: 'create_trace', scope, now: Date.now(), id, body }, 'trace');
    return new WrittenJson(traceJson(trace));
  }

  @Get()
  @Operation({ access: 'read', summary: 'Traces with their roll-ups, newest first', answer: traceListSchema })
  async listTraces(
    @CurrentScope() scope: Scope,
    @Query({ schema: gatheringMembers(listPreviewedTracesSchema) }) { preview, include, ...query }: ListPreviewedTraces,
  ) {
    const { items, nextCursor } = await this.lists.list(scope, query);
    const traces = await this.previews.execute(scope, items, preview);
    if (include === undefined) return writtenPage('traces', traces, nextCursor);
    const ids = items.map(({ id }) => id);
    return writtenPage('traces', await this.scores.written(scope, traces, ids), nextCursor);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'A trace with all its spans in start order', answer: traceInViewSchema })
  async getTrace(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(traceNotFound)) id: string,
    @Query({ schema: readTraceSchema }) query: ReadTraceQuery,
  ) {
    return new StreamableFile(await this.reads.execute(scope, id, query), {
      type: 'application/json; charset=utf-8',
    });
  }

  @Patch(':id')
  @Operation({ access: 'write', summary: 'Change a trace', answer: traceSchema })
  async patchTrace(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(traceNotFound)) id: string,
    @Body({ schema: patchTraceSchema }) body: PatchTrace,
  ) {
    const { trace } = await this.writes.execute({ type: 'patch_trace', scope, id, body }, 'trace');
    return new WrittenJson(traceJson(trace));
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete a trace and its spans',
    audited: ['trace.deleted'],
    answer: traceDeletedSchema,
  })
  async deleteTrace(@CurrentScope() scope: Scope, @Param('id', new PathId(traceNotFound)) id: string) {
    const { spansDeleted } = await this.writes.execute(
      { type: 'delete_trace', scope, id, context: currentContext() },
      'deleted',
    );
    return { trace_id: id, spans_deleted: spansDeleted };
  }

  /** All traces and spans of the project. */
  @Delete()
  @Operation({
    access: 'write',
    summary: 'Delete all traces and spans of the project',
    audited: ['traces.deleted'],
    answer: tracesDeletedSchema,
    problems: ['project_protected'],
  })
  async deleteTraces(@CurrentScope() scope: Scope) {
    const { tracesDeleted, spansDeleted } = await this.writes.execute(
      { type: 'delete_all', scope, context: currentContext() },
      'deleted',
    );
    return { message: 'all traces and spans are deleted', traces_deleted: tracesDeleted, spans_deleted: spansDeleted };
  }
}
