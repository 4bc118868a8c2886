import type { ResultItemResource, SampleResource } from '@spandrel/contract';
import type { SnapshotDatapoint } from '@spandrel/datasets';
import { fromJsonText } from '@spandrel/storage';
import { expectedText, inputAndExpected } from './datapoint-facts.js';
import type { EvalResultRow, EvalRunRow, EvalSampleRow } from './eval-run.entity.js';
import { textOf } from './run-resource.js';
import { samplesRunningNow, sampleName, type SampleKey } from './running-items.js';
import { scorersOf } from './run-plan.js';
import { scorerResults } from './scorer-results.js';
import { resultStatusName } from './status.js';

/** How the items of a run are shown. */
export class ItemView {
  /** The scorer whose word the columns of a result have, where there is but one. */
  private readonly scorer: string;
  private readonly repeats: number;
  /** Names of samples. */
  private readonly running: Set<string>;

  constructor(run: EvalRunRow) {
    this.scorer = scorersOf(run)[0]!.name;
    this.repeats = run.repeats;
    this.running = new Set(samplesRunningNow(run));
  }

  /** Shows samples as running whose results wait for the server's scorers. */
  addWaiting(samples: readonly SampleKey[]): void {
    for (const sample of samples) this.running.add(sampleName(sample));
  }

  /**
   * An item as the wire shows it.
   * @param result `undefined`: it is not processed.
   * @param samples rows of its samples, which are shown where they are given; a datapoint that is tried once has none.
   */
  item(
    datapoint: SnapshotDatapoint,
    result: EvalResultRow | undefined,
    samples?: readonly EvalSampleRow[],
  ): ResultItemResource {
    const { input, expected } = inputAndExpected(datapoint.kind);
    const { output, ...others } = this.outcome(datapoint.id, result);
    return {
      ...{ datapoint_id: datapoint.id, input, output, expected: expectedText(expected), ...others },
      ...(this.repeats === 1 ? { samples: null } : samples && { samples: this.samples(datapoint.id, samples) }),
    };
  }

  /** What became of an item. @param result `undefined`: it is not processed. */
  outcome(datapointId: string, result: EvalResultRow | undefined): ItemOutcome {
    return result
      ? this.processed(result)
      : { ...UNPROCESSED, status: this.isRunning(datapointId) ? 'running' : 'pending' };
  }

  /** What became of an item, or a sample, that is processed. */
  private processed(result: Outcome): ItemOutcome {
    const scores = scorerResults({ ...result, hasOutput: result.output !== null }, this.scorer);
    return { ...processedOutcome(result), scores };
  }

  /** All samples of a datapoint in order, those that are not processed among them. */
  private samples(datapointId: string, rows: readonly EvalSampleRow[]): SampleResource[] {
    const byRepeat = new Map(rows.map((row) => [row.repeat, row]));
    return Array.from({ length: this.repeats }, (_, repeat) => {
      const row = byRepeat.get(repeat);
      if (row) return { repeat, ...this.processed(row) };
      const running = this.running.has(sampleName({ datapointId, repeat }));
      return { repeat, ...UNPROCESSED, status: running ? 'running' : 'pending' };
    });
  }

  private isRunning(datapointId: string): boolean {
    for (let repeat = 0; repeat < this.repeats; repeat++) {
      if (this.running.has(sampleName({ datapointId, repeat }))) return true;
    }
    return false;
  }
}

/** What rows of results and of samples have in common. */
export type Outcome = Omit<EvalResultRow, 'projectId' | 'runId' | 'datapointId'>;

/** What became of an item, or a sample, that is processed, but for its scores by name. */
export const processedOutcome = (result: Outcome): Omit<ItemOutcome, 'scores'> => ({
  output: textOf(result.output),
  score: result.score,
  score_reason: textOf(result.scoreReason),
  latency_ms: result.latencyMs,
  tokens: result.tokens,
  cost: result.cost,
  status: resultStatusName(result.status),
  error: textOf(result.error),
  attempts: result.attempts,
  judge_model: result.judgeModel,
  judge_prompt_hash: result.judgePromptHash,
  judge_tokens: result.judgeTokens,
  judge_cost: result.judgeCost,
  trace_id: result.traceId,
  span_id: result.spanId,
  metadata: fromJsonText(result.metadata) as Record<string, unknown> | null,
});

/** The members of an item that do not come from its datapoint. */
type ItemOutcome = Omit<ResultItemResource, 'datapoint_id' | 'input' | 'expected' | 'samples'>;

const UNPROCESSED: Omit<ItemOutcome, 'status'> = {
  output: null,
  score: null,
  score_reason: null,
  scores: {},
  latency_ms: null,
  tokens: null,
  cost: null,
  error: null,
  attempts: 0,
  judge_model: null,
  judge_prompt_hash: null,
  judge_tokens: null,
  judge_cost: null,
  trace_id: null,
  span_id: null,
  metadata: null,
};
