import {
  amountOf,
  attributeNames,
  countOf,
  objectOf,
  saidJson,
  takeAt,
  toldUsage,
  type OtelMap,
  type ReadUsage,
} from '@spandrel/plugin-api';

/** Tokens with the details that the GenAI attributes beside them leave out; `undefined` when the run reports none. */
export function usageOf(attributes: OtelMap): ReadUsage | undefined {
  const told = objectOf(takeAt(attributes, USAGE, saidJson)?.value);
  const input = objectOf(told['input_token_details']);
  const output = objectOf(told['output_token_details']);
  return toldUsage({
    inputTokens: countOf(told['input_tokens']) ?? undefined,
    outputTokens: countOf(told['output_tokens']) ?? undefined,
    cachedInputTokens: countOf(input['cache_read']) ?? undefined,
    cacheWriteTokens: countOf(input['cache_creation']) ?? undefined,
    reasoningTokens: countOf(output['reasoning']) ?? undefined,
    cost: amountOf(told['total_cost']) ?? undefined,
  });
}

const USAGE = attributeNames('langsmith.usage_metadata', 'langsmith.metadata.usage_metadata');
