import type { Api } from '../api/client.js';
import type { EvalItem, EvalRunSummary } from '../api/schema.js';
import type { EvalFacts } from './eval-facts.js';
import { resultTable } from './result-table.js';
import type { OpenRun } from './open-run.js';

/** What came of an eval. */
export interface EvalResult extends EvalFacts {
  /** All of it as text, for people. */
  table(): string;
  /** Makes it a test. @throws EvalNotPassedError with the table unless it passed. */
  assertPassed(): void;
}

/** A test failed: an eval did not pass. The message is its table. */
export class EvalNotPassedError extends Error {
  override readonly name = 'EvalNotPassedError';

  constructor(readonly result: EvalResult) {
    super(result.table());
  }
}

const FAILED_MAX = 3;
const WORST_MAX = 10;

/** Reads what the server says of a run that is over. */
export async function readResult(
  api: Api,
  run: EvalRunSummary,
  { baselineRunId, skippedGates }: Pick<OpenRun, 'baselineRunId' | 'skippedGates'>,
  signal: AbortSignal,
): Promise<EvalResult> {
  const path = { id: run.id };
  const query = baselineRunId === undefined ? {} : { baseline: baselineRunId };
  const statistics = await api.getEvalStatistics({ path, query, signal });
  const { gates } = run;
  const passed = run.status === 'completed' && (run.passed ?? run.error === null);
  const worst = passed ? [] : await worstOf(api, run, signal);
  const facts: EvalFacts = { run, statistics, gates, passed, baselineRunId, skippedGates, worst };
  const result: EvalResult = {
    ...facts,
    table: () => resultTable(facts),
    assertPassed() {
      if (!passed) throw new EvalNotPassedError(result);
    },
  };
  return result;
}

async function worstOf(api: Api, { id, pass_score }: EvalRunSummary, signal: AbortSignal): Promise<EvalItem[]> {
  const path = { id };
  const failed = await api.listEvalItems({ path, query: { status: 'failed', limit: FAILED_MAX }, signal });
  const query = { sort_by: 'score' as const, score_max: pass_score, limit: WORST_MAX };
  const low = await api.listEvalItems({ path, query, signal });
  const below = low.items.filter(({ score }) => score !== null && score < pass_score);
  return [...failed.items, ...below].slice(0, WORST_MAX);
}
