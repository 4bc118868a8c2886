import { countAt, hasAny, reportedUsage, textAt, type OtelMap, type ReadUsage } from '@spandrel/plugin-api';
import { reportedByProvider } from './provider-metadata.js';

/**
 * Tokens as the SDK counts them, with what the provider's metadata alone say. Before its version 6 the input is the
 * provider's own count: those of Anthropic and Bedrock leave out the cache, and Gemini's output leaves out its thoughts.
 * Version 7 has the reasoning tokens under its own name, beside GenAI's names of the others.
 */
export function usageOf(attributes: OtelMap): ReadUsage | undefined {
  const inputTokens = countAt(attributes, INPUT);
  const outputTokens = countAt(attributes, OUTPUT);
  const { countedInput, countedOutput, ...reported } = reportedByProvider(attributes);
  const isOwnCount =
    countedInput === undefined
      ? reported.inputExcludesCached === true || OWN_COUNTS.test(textAt(attributes, PROVIDER) ?? '')
      : countedInput === inputTokens;
  return reportedUsage({
    ...reported,
    inputTokens,
    outputTokens,
    totalTokens: countAt(attributes, TOTAL),
    cachedInputTokens: countAt(attributes, CACHED) ?? reported.cachedInputTokens,
    cacheWriteTokens: countAt(attributes, WRITTEN) ?? reported.cacheWriteTokens,
    reasoningTokens: countAt(attributes, REASONING) ?? reported.reasoningTokens,
    inputExcludesCached: isOwnCount && !hasAny(attributes, WITH_CACHE) ? true : undefined,
    outputExcludesReasoning: countedOutput !== undefined && countedOutput === outputTokens ? true : undefined,
  });
}

/** Providers whose own count of the input leaves out what the cache gave and took. */
const OWN_COUNTS = /^(?:anthropic|amazon-bedrock|bedrock|vertex\.anthropic|google\.vertex\.anthropic)/;

const PROVIDER = ['ai.model.provider'];
const INPUT = ['ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens', 'gen_ai.usage.input_tokens'];
const OUTPUT = ['ai.usage.outputTokens', 'ai.usage.completionTokens', 'gen_ai.usage.output_tokens'];
const TOTAL = ['ai.usage.totalTokens'];
const CACHED = [
  'ai.usage.cachedInputTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  'gen_ai.usage.cache_read.input_tokens',
];
const WRITTEN = ['ai.usage.inputTokenDetails.cacheWriteTokens', 'gen_ai.usage.cache_creation.input_tokens'];
const REASONING = ['ai.usage.reasoningTokens', 'ai.usage.outputTokenDetails.reasoningTokens'];
/** What spans have since the input has the cache in it. */
const WITH_CACHE = [
  'ai.usage.inputTokenDetails.noCacheTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
  'gen_ai.operation.name',
];
