import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  evalRunSummarySchema,
  evalStatisticsQuerySchema,
  evalStatisticsSchema,
  setGatesSchema,
  type EvalRunSummary,
  type EvalStatistics,
  type EvalStatisticsQuery,
  type SetGates as SetGatesBody,
} from '@spandrel/contract';
import { CurrentReader, CurrentScope, Operation, PathId, type Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { evalRunNotFound } from './not-found.js';
import { SetGates } from './set-gates.js';
import { ReadStatistics } from './statistics/read-statistics.js';

/** What a run is worth (docs/spec/eval-statistics.md, docs/spec/eval-gates.md). */
@Controller('api/eval/:id')
export class EvalStatisticsController {
  constructor(
    private readonly statistics: ReadStatistics,
    private readonly gates: SetGates,
  ) {}

  @Get('statistics')
  @Operation({
    id: 'getEvalStatistics',
    access: 'read',
    summary: 'What the scores of an eval run are worth, by themselves and beside a baseline',
    answer: evalStatisticsSchema,
    problems: ['eval_run_not_found'],
  })
  read(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(evalRunNotFound)) id: string,
    @Query({ schema: evalStatisticsQuerySchema }) query: EvalStatisticsQuery,
    @CurrentReader() reader: Reader,
  ): Promise<EvalStatistics> {
    return this.statistics.execute(scope, id, query, reader);
  }

  @Post('gates')
  @HttpCode(200)
  @Operation({
    id: 'setEvalGates',
    access: 'write',
    summary: 'Other gates for an eval run',
    description: 'A run that is over is judged at once, one that goes on at its end.',
    answer: evalRunSummarySchema,
    problems: ['eval_run_not_found'],
  })
  setGates(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(evalRunNotFound)) id: string,
    @Body({ schema: setGatesSchema }) { gates }: SetGatesBody,
  ): Promise<EvalRunSummary> {
    return this.gates.execute(scope, id, gates);
  }
}
