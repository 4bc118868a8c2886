import { Body, Controller, Delete, Get, HttpCode, Post, Query, StreamableFile } from '@nestjs/common';
import {
  comparedItemListSchema,
  compareItemsSchema,
  compareSchema,
  datapointResultListSchema,
  deletedSchema,
  evalComparisonSchema,
  listDatasetEvalsSchema,
  startedEvalSchema,
  startEvalSchema,
  startedMatrixSchema,
  startMatrixSchema,
  evalItemListSchema,
  evalMetadataSchema,
  evalRunSchema,
  evalRunSummarySchema,
  listDatapointResultsSchema,
  listEvalItemsSchema,
  readEvalSchema,
  evalRunListSchema,
  listEvalRunsSchema,
  evalStatisticsQuerySchema,
  evalStatisticsSchema,
  judgeAgreementQuerySchema,
  judgeAgreementSchema,
  retryEvalSchema,
  setGatesSchema,
  type Compare,
  type CompareItems,
  type ListDatasetEvals,
  type StartEval,
  type StartMatrix,
  type ListDatapointResults,
  type ListEvalItems,
  type ReadEval,
  type ListEvalRuns,
  type EvalStatisticsQuery,
  type JudgeAgreementQuery,
  type RetryEval,
  type SetGates as SetGatesBody,
  addedResultsSchema,
  addResultsSchema,
  type AddResults as AddResultsBody,
} from '@spandrel/contract';
import { DatapointId, DatasetId, DatasetStore } from '@spandrel/datasets';
import { CurrentScope, Operation, listOf, deleted } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ChangeRun, RetryRun } from './change-run.js';
import { CompareRuns } from './compare-runs.js';
import { RunId, runSummary, snapshotOf } from './eval-run.js';
import { EvalRunStore } from './eval-run.store.js';
import { ReadRun } from './read-run.js';
import { SetGates } from './finish-run.js';
import { StartRun } from './plan-run.js';
import { CompareScoring } from './statistics/compare-scoring.js';
import { JudgeAgreement } from './statistics/judge-agreement.js';
import { ReadStatistics, ReadMetadata } from './statistics/measure-run.js';
import { AddResults } from './external/add-results.js';
import { CompleteRun } from './external/complete-run.js';

/** Media types of tables of items. */
const TABLE_TYPES = { csv: 'text/csv', parquet: 'application/vnd.apache.parquet' } as const;

/** Eval runs of all datasets (docs/spec/evaluations.md#run-routes, docs/spec/eval-statistics.md, docs/spec/eval-gates.md). */
@Controller('api/eval')
export class EvalsController {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly reads: ReadRun,
    private readonly changes: ChangeRun,
    private readonly statistics: ReadStatistics,
    private readonly metadata: ReadMetadata,
    private readonly gates: SetGates,
    private readonly retries: RetryRun,
    private readonly judges: JudgeAgreement,
  ) {}

  @Get()
  @Operation({ access: 'read', summary: 'Eval runs of all datasets, newest first', answer: evalRunListSchema })
  async listEvalRuns(@CurrentScope() scope: Scope, @Query({ schema: listEvalRunsSchema }) query: ListEvalRuns) {
    return listOf('runs', await this.runs.list(scope, query), runSummary);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'An eval run with all its items, or without', answer: evalRunSchema })
  async getEval(
    @CurrentScope() scope: Scope,
    @RunId() id: string,
    @Query({ schema: readEvalSchema }) { items }: ReadEval,
  ) {
    if (items === 'none') return this.reads.summary(scope, id);
    return new StreamableFile(await this.reads.execute(scope, id), {
      type: 'application/json; charset=utf-8',
    });
  }

  @Get(':id/items')
  @Operation({
    access: 'read',
    summary: 'Items of an eval run, page by page, or as a table',
    answer: evalItemListSchema,
    otherAnswer: {
      status: 200,
      answer: {
        mediaTypes: Object.values(TABLE_TYPES),
        description: 'The items, or with another `format` a table of them.',
        attachment: true,
      },
    },
  })
  async listEvalItems(
    @CurrentScope() scope: Scope,
    @RunId() id: string,
    @Query({ schema: listEvalItemsSchema }) query: ListEvalItems,
  ) {
    const { format } = query;
    if (format === 'json') return this.reads.list(scope, id, query);
    return new StreamableFile(await this.reads.table(scope, id, query), {
      type: TABLE_TYPES[format],
      disposition: `attachment; filename="${id.replaceAll(':', '-')}.${format}"`,
    });
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Cancel a running eval run',
    description: 'Items in flight still finish and are kept.',
    answer: evalRunSummarySchema,
    problems: ['eval_run_not_running'],
  })
  async cancelEval(@CurrentScope() scope: Scope, @RunId() id: string) {
    return this.changes.cancel(scope, id, Date.now());
  }

  @Post(':id/retry')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Have an eval run that is over go on with some of its samples',
    description: 'What had become of them is kept. The run is pending in the answer, and ends like any other.',
    answer: evalRunSummarySchema,
    problems: ['eval_run_not_over', 'nothing_to_retry'],
  })
  retryEval(@CurrentScope() scope: Scope, @RunId() id: string, @Body({ schema: retryEvalSchema }) body: RetryEval) {
    return this.retries.execute(scope, id, body);
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete an eval run and its results',
    audited: ['eval.deleted'],
    answer: deletedSchema,
  })
  async deleteEval(@CurrentScope() scope: Scope, @RunId() id: string) {
    await this.changes.delete(scope, id);
    return deleted(id);
  }

  @Get(':id/statistics')
  @Operation({
    access: 'read',
    summary: 'What the scores of an eval run are worth, by themselves and beside a baseline',
    answer: evalStatisticsSchema,
  })
  getEvalStatistics(
    @CurrentScope() scope: Scope,
    @RunId() id: string,
    @Query({ schema: evalStatisticsQuerySchema }) query: EvalStatisticsQuery,
  ) {
    return this.statistics.execute(scope, id, query);
  }

  @Get(':id/judge-agreement')
  @Operation({
    access: 'read',
    summary: 'How far an eval run passes and fails what the reviewers of its datapoints do',
    answer: judgeAgreementSchema,
  })
  getJudgeAgreement(
    @CurrentScope() scope: Scope,
    @RunId() id: string,
    @Query({ schema: judgeAgreementQuerySchema }) query: JudgeAgreementQuery,
  ) {
    return this.judges.execute(scope, id, query);
  }

  @Get(':id/metadata')
  @Operation({
    access: 'read',
    summary: "What the metadata of an eval run's datapoints have: its results can be grouped by it",
    answer: evalMetadataSchema,
  })
  async getEvalMetadata(@CurrentScope() scope: Scope, @RunId() id: string) {
    const run = await this.runs.get(scope, id);
    return (await this.metadata.execute(scope, snapshotOf(run))).toAnswer();
  }

  @Post(':id/gates')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Other gates for an eval run',
    description: 'A run that is over is judged at once, one that goes on at its end.',
    answer: evalRunSummarySchema,
  })
  setEvalGates(
    @CurrentScope() scope: Scope,
    @RunId() id: string,
    @Body({ schema: setGatesSchema }) { gates }: SetGatesBody,
  ) {
    return this.gates.execute(scope, id, gates);
  }
}

/** Eval runs of a dataset (docs/spec/evaluations.md#run-routes). */
@Controller('api/datasets/:id')
export class DatasetEvalsController {
  constructor(
    private readonly starts: StartRun,
    private readonly datasets: DatasetStore,
    private readonly runs: EvalRunStore,
    private readonly comparisons: CompareRuns,
    private readonly scoring: CompareScoring,
    private readonly reads: ReadRun,
  ) {}

  @Post('eval')
  @Operation({
    access: 'write',
    summary: 'Start an eval run',
    answer: startedEvalSchema,
    problems: ['connection_not_found', 'eval_run_not_found', 'id_conflict', 'nothing_to_score', 'nothing_to_evaluate'],
  })
  async startEval(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Body({ schema: startEvalSchema }) body: StartEval,
  ) {
    return { ...(await this.starts.execute(scope, id, body)), result_items: [] };
  }

  @Post('eval/matrix')
  @Operation({
    access: 'write',
    summary: 'Start an eval run for each of several models and prompts',
    description: 'All of them are started, or none.',
    answer: startedMatrixSchema,
    problems: ['connection_not_found', 'eval_run_not_found', 'id_conflict', 'nothing_to_score'],
  })
  async startEvalMatrix(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Body({ schema: startMatrixSchema }) body: StartMatrix,
  ) {
    const { group_id: groupId, runs } = await this.starts.executeMatrix(scope, id, body);
    return { group_id: groupId, runs: runs.map((run) => ({ ...run, result_items: [] })) };
  }

  @Get('eval')
  @Operation({
    access: 'read',
    summary: 'Eval runs of a dataset, newest first',
    answer: evalRunListSchema,
    problems: ['eval_run_not_found'],
  })
  async listEvals(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Query({ schema: listDatasetEvalsSchema }) query: ListDatasetEvals,
  ) {
    await this.datasets.get(scope, id);
    const { baseline_for: run, allow_different_scoring: isAnyScoring = false, ...filters } = query;
    const page =
      run === undefined
        ? await this.runs.list(scope, { ...filters, dataset_id: id })
        : await this.scoring.listBaselines(scope, id, { id: run, isAnyScoring }, filters);
    return listOf('runs', page, runSummary);
  }

  @Get('datapoints/:dp_id/results')
  @Operation({
    access: 'read',
    summary: 'What became of a datapoint in the eval runs that processed it, newest first',
    answer: datapointResultListSchema,
  })
  listDatapointResults(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @DatapointId() datapointId: string,
    @Query({ schema: listDatapointResultsSchema }) query: ListDatapointResults,
  ) {
    return this.reads.listOfDatapoint(scope, id, datapointId, query);
  }

  @Get('compare')
  @Operation({
    access: 'read',
    summary: 'Results of runs side by side',
    answer: evalComparisonSchema,
    problems: ['eval_run_not_found'],
  })
  async compareEvals(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Query({ schema: compareSchema }) query: Compare,
  ) {
    return new StreamableFile(await this.comparisons.compare(scope, id, query.runs), {
      type: 'application/json; charset=utf-8',
    });
  }

  @Get('compare/items')
  @Operation({
    access: 'read',
    summary: 'Items of runs side by side, page by page',
    answer: comparedItemListSchema,
    problems: ['eval_run_not_found'],
  })
  compareEvalItems(
    @CurrentScope() scope: Scope,
    @DatasetId() id: string,
    @Query({ schema: compareItemsSchema }) query: CompareItems,
  ) {
    return this.comparisons.listItems(scope, id, query);
  }
}

/** What callers of external runs send (docs/spec/external-runs.md). */
@Controller('api/eval/:id')
export class ExternalRunsController {
  constructor(
    private readonly adds: AddResults,
    private readonly completes: CompleteRun,
  ) {}

  @Post('results')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Add results to an external eval run',
    description:
      'Each result on its own; 200 also when some were rejected. Sending it again changes nothing. The run completes with the last.',
    answer: addedResultsSchema,
    problems: ['eval_run_not_external', 'eval_run_not_running'],
  })
  addEvalResults(
    @CurrentScope() scope: Scope,
    @RunId() id: string,
    @Body({ schema: addResultsSchema }) body: AddResultsBody,
  ) {
    return this.adds.execute(scope, id, body);
  }

  @Post('complete')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Complete an external eval run',
    description:
      'Samples without a result stay pending. The run is still running in the answer where scorers of the server have results to look at.',
    answer: evalRunSummarySchema,
    problems: ['eval_run_not_external', 'eval_run_not_running'],
  })
  completeEval(@CurrentScope() scope: Scope, @RunId() id: string) {
    return this.completes.execute(scope, id);
  }
}
