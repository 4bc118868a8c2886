import { Body, Controller, Get, Param, Post, Query, StreamableFile } from '@nestjs/common';
import {
  comparedItemListSchema,
  compareItemsSchema,
  compareSchema,
  listDatasetEvalsSchema,
  startEvalSchema,
  evalRunSchema,
  evalRunListSchema,
  evalComparisonSchema,
  type Compare,
  type ComparedItemList,
  type CompareItems as CompareItemsQuery,
  type EvalRunResource,
  type EvalRunSummary,
  type ListDatasetEvals,
  type StartEval,
} from '@spandrel/contract';
import { datasetNotFound, DatasetStore } from '@spandrel/datasets';
import { CurrentReader, CurrentScope, PathId, Operation, type Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { CompareRuns } from './compare-runs.js';
import { runSummary } from './eval-run.js';
import { EvalRunStore } from './eval-run.store.js';
import { StartRun } from './start-run.js';

/** Eval runs of a dataset (docs/spec/evaluations.md#run-routes). */
@Controller('api/datasets/:id')
export class DatasetEvalsController {
  constructor(
    private readonly starts: StartRun,
    private readonly datasets: DatasetStore,
    private readonly runs: EvalRunStore,
    private readonly comparisons: CompareRuns,
  ) {}

  @Post('eval')
  @Operation({
    id: 'startEval',
    access: 'write',
    summary: 'Start an eval run',
    answer: evalRunSchema,
    problems: ['dataset_not_found', 'connection_not_found', 'eval_run_not_found', 'id_conflict'],
  })
  async start(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Body({ schema: startEvalSchema }) body: StartEval,
  ): Promise<EvalRunResource> {
    return { ...(await this.starts.execute(scope, id, body)), result_items: [] };
  }

  @Get('eval')
  @Operation({
    id: 'listEvals',
    access: 'read',
    summary: 'Eval runs of a dataset, newest first',
    answer: evalRunListSchema,
    problems: ['dataset_not_found'],
  })
  async list(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Query({ schema: listDatasetEvalsSchema }) query: ListDatasetEvals,
  ): Promise<{ runs: EvalRunSummary[]; count: number; next_cursor: string | null }> {
    if (!(await this.datasets.find(scope, id))) throw datasetNotFound();
    const { items, nextCursor } = await this.runs.list(scope, { ...query, dataset_id: id });
    return { runs: items.map(runSummary), count: items.length, next_cursor: nextCursor };
  }

  @Get('compare')
  @Operation({
    id: 'compareEvals',
    access: 'read',
    summary: 'Results of runs side by side',
    answer: evalComparisonSchema,
    problems: ['dataset_not_found', 'eval_run_not_found'],
  })
  async compare(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Query({ schema: compareSchema }) query: Compare,
    @CurrentReader() reader: Reader,
  ): Promise<StreamableFile> {
    return new StreamableFile(await this.comparisons.compare(scope, id, query.runs, reader), {
      type: 'application/json; charset=utf-8',
    });
  }

  @Get('compare/items')
  @Operation({
    id: 'compareEvalItems',
    access: 'read',
    summary: 'Items of runs side by side, page by page',
    answer: comparedItemListSchema,
    problems: ['dataset_not_found', 'eval_run_not_found'],
  })
  listCompared(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) id: string,
    @Query({ schema: compareItemsSchema }) query: CompareItemsQuery,
    @CurrentReader() reader: Reader,
  ): Promise<ComparedItemList> {
    return this.comparisons.listItems(scope, id, query, reader);
  }
}
