import {
  amountAt,
  attributeNames,
  countAt,
  hasAny,
  reportedUsage,
  type OtelSpan,
  type ReadUsage,
} from '@spandrel/plugin-api';

/** Tokens and cost; `undefined` when the span reports none. */
export function usageOf({ attributes, scope }: OtelSpan): ReadUsage | undefined {
  const usage = reportedUsage({
    inputTokens: countAt(attributes, INPUT),
    outputTokens: countAt(attributes, OUTPUT),
    cachedInputTokens: countAt(attributes, CACHED),
    cacheWriteTokens: countAt(attributes, WRITTEN),
    reasoningTokens: countAt(attributes, REASONING),
    cost: amountAt(attributes, COST),
  });
  // Strands passes on Bedrock's count of input tokens, which leaves out the cached ones, under names of its own.
  const isStrands = scope.name.startsWith('strands.') && hasAny(attributes, STRANDS);
  return isStrands && usage ? { ...usage, inputExcludesCached: true } : usage;
}

const INPUT = attributeNames(
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'gen_ai.response.prompt_tokens',
);
const OUTPUT = attributeNames(
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'gen_ai.response.completion_tokens',
);
const CACHED = attributeNames(
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'gen_ai.usage.details.cache_read_tokens',
);
const WRITTEN = attributeNames(
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'gen_ai.usage.cache_write_input_tokens',
);
const REASONING = attributeNames(
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'gen_ai.usage.details.reasoning_tokens',
);
const COST = attributeNames('gen_ai.usage.cost', 'operation.cost');
const STRANDS = attributeNames('gen_ai.usage.cache_read_input_tokens', 'gen_ai.usage.cache_write_input_tokens');
