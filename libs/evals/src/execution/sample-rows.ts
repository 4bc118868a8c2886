import { toJsonText } from '@spandrel/storage';
import type { EvalResultRow, EvalRunRow, EvalSampleRow } from '../eval-run.entity.js';
import type { SampleKey } from '../running-items.js';
import { RESULT_STATUS } from '../status.js';
import type { SampleResult } from './sample-result.js';

/** A sample that was processed. */
export interface FinishedSample extends SampleKey {
  result: SampleResult;
  /** When, in ms. */
  now: number;
}

/** The row of an item that was tried once. */
export const resultRow = ({ projectId, id }: EvalRunRow, { datapointId, result }: FinishedSample): EvalResultRow => ({
  projectId,
  runId: id,
  datapointId,
  status: result.error === null ? RESULT_STATUS.completed : RESULT_STATUS.failed,
  output: toJsonText(result.output),
  score: result.score,
  scoreReason: toJsonText(result.reason),
  latencyMs: result.latencyMs === null ? null : Math.round(result.latencyMs),
  tokens: result.tokens,
  cost: result.cost,
  error: toJsonText(result.error),
  attempts: result.attempts,
  judgeModel: result.judge.model,
  judgePromptHash: result.promptHash,
  judgeTokens: result.judge.tokens,
  judgeCost: result.judge.cost,
  traceId: result.traceId,
  spanId: result.spanId,
  metadata: result.metadata,
  scores: toJsonText(result.scores),
  resultHash: result.resultHash,
});

/** The row of one of several tries of an item. */
export const sampleRow = (run: EvalRunRow, sample: FinishedSample): EvalSampleRow => ({
  ...resultRow(run, sample),
  repeat: sample.repeat,
});
