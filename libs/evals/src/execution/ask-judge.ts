import type { OpenConnection } from '@spandrel/connections';
import type { ScoreSample } from '@spandrel/plugin-api';
import { estimateCost, type PricingTable } from '@spandrel/tracing';
import { totalTokens } from './model-call.js';
import { noteCall, type ItemCallOptions } from './note-call.js';
import type { JudgeUse } from './sample-result.js';
import { addAmounts, addCosts } from './sums-of-known.js';

/** Whom a scorer asks, and by which rubric. */
export interface Judge {
  /** The text is why nobody can be asked. */
  asks: { connection: OpenConnection; model: string } | string;
  rubric: string | undefined;
}

/**
 * The judge as the scorer of a sample sees it (docs/spec/evaluations.md#llmjudge).
 * @param use is added to with every answer.
 */
export function askJudge(
  { asks }: Judge,
  use: JudgeUse,
  pricing: PricingTable,
  options: ItemCallOptions,
): ScoreSample['complete'] {
  return async ({ messages, temperature }) => {
    if (typeof asks === 'string') throw new Error(asks);
    const { connection, model } = asks;
    use.model = model;
    const { text, usage } = await noteCall(
      'judge',
      connection,
      { model, messages, temperature: temperature ?? 0 },
      options,
    );
    use.tokens = addAmounts([use.tokens, totalTokens(usage)]);
    use.cost = addCosts([use.cost, estimateCost(pricing, model, usage)]);
    return { text };
  };
}
