import {
  amountOf,
  countOf,
  objectOf,
  saidJson,
  takeAt,
  reportedUsage,
  type OtelMap,
  type ReadUsage,
} from '@spandrel/plugin-api';

/** Tokens with the details that the GenAI attributes beside them leave out; `undefined` when the run reports none. */
export function usageOf(attributes: OtelMap): ReadUsage | undefined {
  const reported = objectOf(takeAt(attributes, USAGE, saidJson)?.value);
  const input = objectOf(reported['input_token_details']);
  const output = objectOf(reported['output_token_details']);
  return reportedUsage({
    inputTokens: countOf(reported['input_tokens']) ?? undefined,
    outputTokens: countOf(reported['output_tokens']) ?? undefined,
    totalTokens: countOf(reported['total_tokens']) ?? undefined,
    cachedInputTokens: countOf(input['cache_read']) ?? undefined,
    cacheWriteTokens: countOf(input['cache_creation']) ?? undefined,
    cacheWrite1hTokens: countOf(input['ephemeral_1h_input_tokens']) ?? undefined,
    reasoningTokens: countOf(output['reasoning']) ?? undefined,
    inputAudioTokens: countOf(input['audio']) ?? undefined,
    outputAudioTokens: countOf(output['audio']) ?? undefined,
    cost: amountOf(reported['total_cost']) ?? undefined,
  });
}

const USAGE = ['langsmith.usage_metadata', 'langsmith.metadata.usage_metadata'];
