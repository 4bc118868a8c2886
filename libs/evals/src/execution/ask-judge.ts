import type { OpenConnection } from '@spandrel/connections';
import type { ScoreSample } from '@spandrel/plugin-api';
import { estimateCost, type PricingTable } from '@spandrel/tracing';
import { totalTokens } from './model-call.js';
import { noteCall, type ItemCallOptions } from './note-call.js';

/** Whom scorers ask, and by which rubric. */
export interface Judge {
  connection: OpenConnection;
  model: string;
  rubric: string | undefined;
}

/** What asking the judge took for one item, kept apart from the model's own use. */
export interface JudgeUse {
  /** `null`: it was not asked. */
  model: string | null;
  tokens: number | null;
  /** Cost in dollars. */
  cost: number | null;
}

/**
 * The judge as one item's scorer sees it (docs/spec/evaluations.md#llmjudge).
 * @param use is added to with every answer.
 */
export function askJudge(
  judge: Judge,
  use: JudgeUse,
  pricing: PricingTable,
  options: ItemCallOptions,
): ScoreSample['complete'] {
  return async ({ messages, temperature }) => {
    use.model = judge.model;
    const { text, usage } = await noteCall(
      'judge',
      judge.connection,
      { model: judge.model, messages, temperature: temperature ?? 0 },
      options,
    );
    use.tokens = sum(use.tokens, totalTokens(usage));
    use.cost = sum(use.cost, estimateCost(pricing, judge.model, usage));
    return { text };
  };
}

const sum = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0);
