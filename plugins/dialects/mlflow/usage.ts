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

/** Tokens of `mlflow.chat.tokenUsage`, and the cost of `mlflow.llm.cost`, whole or as an attribute of its total. */
export function usageOf(attributes: OtelMap): ReadUsage | undefined {
  const counts = objectOf(takeAt(attributes, ['mlflow.chat.tokenUsage'], saidJson)?.value);
  return reportedUsage({
    inputTokens: countOf(counts['input_tokens']) ?? undefined,
    outputTokens: countOf(counts['output_tokens']) ?? undefined,
    totalTokens: countOf(counts['total_tokens']) ?? undefined,
    cachedInputTokens: countOf(counts['cache_read_input_tokens']) ?? undefined,
    cacheWriteTokens: countOf(counts['cache_creation_input_tokens']) ?? undefined,
    cost: costOf(attributes),
  });
}

function costOf(attributes: OtelMap): number | undefined {
  const whole = objectOf(takeAt(attributes, ['mlflow.llm.cost'], saidJson)?.value)['total_cost'];
  const cost = whole ?? takeAt(attributes, ['mlflow.llm.cost.total_cost'], saidJson)?.value;
  return amountOf(cost) ?? undefined;
}
