import type { ScorerResult } from '@spandrel/contract';
import type { PricingTable } from '@spandrel/tracing';
import { askJudge, type Judge } from './ask-judge.js';
import { NO_SCORE } from './combine-scores.js';
import type { ItemCallOptions, NotedCall } from './note-call.js';
import type { JudgeUse } from './sample-result.js';
import { scoreOutput, ScoringError, type ConfiguredScorer } from './score-output.js';

/** A scorer of a run, ready to score: its plugin is configured, its judge's connection is open. */
export interface PreparedScorer extends ConfiguredScorer {
  weight: number;
  judge: Judge;
}

/** An output to be scored, beside what its datapoint says. */
export interface ScoredOutput {
  input: unknown;
  output: string;
  /** `undefined`: nothing is expected. */
  expected: unknown;
}

/**
 * Has each scorer score an output, all at once; one that fails leaves its error, and the others go on.
 * @returns in the order of the scorers.
 * @throws the reason of `options.signal` when that fires, and nothing else.
 */
export async function scoreSample(
  scorers: readonly PreparedScorer[],
  sample: ScoredOutput,
  pricing: PricingTable,
  options: ItemCallOptions,
): Promise<ScorerResult[]> {
  const { note } = options;
  if (scorers.length === 1 || !note) {
    return Promise.all(scorers.map((scorer) => scoreBy(scorer, sample, pricing, options)));
  }
  // Their calls are told in the order of the scorers, whichever ends first, so that a sample that is done again tells the same.
  const calls: NotedCall[][] = scorers.map(() => []);
  const results = await Promise.all(
    scorers.map((scorer, index) =>
      scoreBy(scorer, sample, pricing, {
        ...options,
        note: (call) => void calls[index]!.push({ ...call, scorer: scorer.name }),
      }),
    ),
  );
  for (const call of calls.flat()) note(call);
  return results;
}

async function scoreBy(
  scorer: PreparedScorer,
  { input, output, expected }: ScoredOutput,
  pricing: PricingTable,
  options: ItemCallOptions,
): Promise<ScorerResult> {
  const use: JudgeUse = { model: null, tokens: null, cost: null };
  const complete = askJudge(scorer.judge, use, pricing, options);
  const { rubric } = scorer.judge;
  const { signal } = options;
  let result: Pick<ScorerResult, 'score' | 'reason' | 'error' | 'judge_prompt_hash'>;
  try {
    const scored = await scoreOutput(scorer, { input, output, expected, rubric, complete, signal });
    result = { score: scored.score, reason: scored.reason, error: null, judge_prompt_hash: scored.promptHash };
  } catch (error) {
    signal.throwIfAborted();
    result = { ...NO_SCORE, error: messageOf(error, scorer.name) };
  }
  return { ...result, judge_model: use.model, judge_tokens: use.tokens, judge_cost: use.cost };
}

function messageOf(error: unknown, scorer: string): string {
  if (error instanceof ScoringError) return error.message;
  return `scorer ${scorer}: ${error instanceof Error ? error.message : String(error)}`;
}
