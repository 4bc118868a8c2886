import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import {
  addedResultsSchema,
  addResultsSchema,
  evalRunSummarySchema,
  type AddedResults,
  type AddResults as AddResultsBody,
  type EvalRunSummary,
} from '@spandrel/contract';
import { CurrentReader, CurrentScope, Operation, type Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { RunId } from '../eval-run.js';
import { AddResults } from './add-results.js';
import { CompleteRun } from './complete-run.js';

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
    id: 'addEvalResults',
    access: 'write',
    summary: 'Add results to an external eval run',
    description:
      'Each result on its own; 200 also when some were rejected. Sending it again changes nothing. The run completes with the last.',
    answer: addedResultsSchema,
    problems: ['eval_run_not_found', 'eval_run_not_external', 'eval_run_not_running'],
  })
  add(
    @CurrentScope() scope: Scope,
    @RunId() id: string,
    @Body({ schema: addResultsSchema }) body: AddResultsBody,
    @CurrentReader() reader: Reader,
  ): Promise<AddedResults> {
    return this.adds.execute(scope, id, body, reader);
  }

  @Post('complete')
  @HttpCode(200)
  @Operation({
    id: 'completeEval',
    access: 'write',
    summary: 'Complete an external eval run',
    description:
      'Samples without a result stay pending. The run is still running in the answer where scorers of the server have results to look at.',
    answer: evalRunSummarySchema,
    problems: ['eval_run_not_found', 'eval_run_not_external', 'eval_run_not_running'],
  })
  complete(@CurrentScope() scope: Scope, @RunId() id: string): Promise<EvalRunSummary> {
    return this.completes.execute(scope, id);
  }
}
