import { Controller, Delete, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import {
  deletedSchema,
  evalItemListSchema,
  evalRunSchema,
  evalRunSummarySchema,
  listEvalItemsSchema,
  readEvalSchema,
  type EvalItemList,
  type EvalRunResource,
  type EvalRunSummary,
  type ListEvalItems,
  type ReadEval,
} from '@spandrel/contract';
import { CurrentReader, CurrentScope, PathId, type Reader, Operation } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ChangeRun } from './change-run.js';
import { ListItems } from './list-items.js';
import { evalRunNotFound } from './not-found.js';
import { ReadRun } from './read-run.js';

/** `/api/eval/:run_id` (docs/spec/evaluations.md#run-routes). */
@Controller('api/eval/:id')
export class EvalsController {
  constructor(
    private readonly reads: ReadRun,
    private readonly lists: ListItems,
    private readonly changes: ChangeRun,
  ) {}

  @Get()
  @Operation({
    id: 'getEval',
    access: 'read',
    summary: 'An eval run with all its items, or without',
    answer: evalRunSchema,
    problems: ['eval_run_not_found'],
  })
  async read(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(evalRunNotFound)) id: string,
    @Query({ schema: readEvalSchema }) { items }: ReadEval,
    @CurrentReader() reader: Reader,
  ): Promise<StreamableFile | EvalRunResource> {
    if (items === 'none') return this.reads.summary(scope, id);
    return new StreamableFile(await this.reads.execute(scope, id, reader), {
      type: 'application/json; charset=utf-8',
    });
  }

  @Get('items')
  @Operation({
    id: 'listEvalItems',
    access: 'read',
    summary: 'Items of an eval run, page by page',
    answer: evalItemListSchema,
    problems: ['eval_run_not_found'],
  })
  list(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(evalRunNotFound)) id: string,
    @Query({ schema: listEvalItemsSchema }) query: ListEvalItems,
    @CurrentReader() reader: Reader,
  ): Promise<EvalItemList> {
    return this.lists.execute(scope, id, query, reader);
  }

  @Post('cancel')
  @HttpCode(200)
  @Operation({
    id: 'cancelEval',
    access: 'write',
    summary: 'Cancel a running eval run',
    description: 'Items in flight still finish and are kept.',
    answer: evalRunSummarySchema,
    problems: ['eval_run_not_found', 'eval_run_not_running'],
  })
  async cancel(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(evalRunNotFound)) id: string,
  ): Promise<EvalRunSummary> {
    return this.changes.cancel(scope, id, Date.now());
  }

  @Delete()
  @HttpCode(200)
  @Operation({
    id: 'deleteEval',
    access: 'write',
    summary: 'Delete an eval run and its results',
    audited: ['eval.deleted'],
    answer: deletedSchema,
    problems: ['eval_run_not_found'],
  })
  async delete(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(evalRunNotFound)) id: string,
  ): Promise<{ id: string; deleted: true }> {
    await this.changes.delete(scope, id);
    return { id, deleted: true };
  }
}
