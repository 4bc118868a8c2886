import { Controller, Get, Query } from '@nestjs/common';
import { evalRunListSchema, listEvalRunsSchema, type EvalRunSummary, type ListEvalRuns } from '@spandrel/contract';
import { CurrentScope, Operation } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { EvalRunStore } from './eval-run.store.js';
import { runSummary } from './run-resource.js';

/** `GET /api/eval` (docs/spec/evaluations.md#run-routes). */
@Controller('api/eval')
export class EvalRunsController {
  constructor(private readonly runs: EvalRunStore) {}

  @Get()
  @Operation({
    id: 'listEvalRuns',
    access: 'read',
    summary: 'Eval runs of all datasets, newest first',
    answer: evalRunListSchema,
  })
  async list(
    @CurrentScope() scope: Scope,
    @Query({ schema: listEvalRunsSchema }) query: ListEvalRuns,
  ): Promise<{ runs: EvalRunSummary[]; count: number; next_cursor: string | null }> {
    const { items, nextCursor } = await this.runs.list(scope, query);
    return { runs: items.map(runSummary), count: items.length, next_cursor: nextCursor };
  }
}
