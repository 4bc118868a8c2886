import { readOpenAiUsage } from '../openai-format/usage.js';
import { amountOf, countOf, objectOf } from '../wire/lenient-json.js';
import { reportedUsage, type ReadUsage } from './dialect.js';

/**
 * The usage of an observation of Langfuse: its buckets exclude each other (`input` has neither `input_cached_tokens` nor
 * `cache_read_input_tokens` in it), unless a total shows that input and output have all others in them. The wrapper of
 * OpenAI's client for Python writes the usage as OpenAI has it, with its groups of details.
 * @param usageDetails tokens by bucket. @param costDetails dollars by bucket; `total`, else their sum, is the cost.
 */
export function readUsageBuckets(usageDetails: unknown, costDetails: unknown): ReadUsage | undefined {
  const counts = objectOf(usageDetails);
  const costs = objectOf(costDetails);
  const cost = amountOf(costs['total']) ?? sumOfAmounts(costs);
  if (DETAILS.some((name) => objectOf(counts[name]) === counts[name])) {
    return reportedUsage({ ...readOpenAiUsage(counts), ...(cost !== undefined && { cost }) });
  }
  const [inputTokens, outputTokens] = [countOf(counts['input']), countOf(counts['output'])];
  const isAll =
    inputTokens !== null && outputTokens !== null && inputTokens + outputTokens === countOf(counts['total']);
  return reportedUsage({
    ...sumsOf(counts),
    ...(isAll && { inputTokens, outputTokens }),
    inputAudioTokens: countOf(counts['input_audio_tokens']) ?? countOf(counts['input_audio']) ?? undefined,
    outputAudioTokens: countOf(counts['output_audio_tokens']) ?? countOf(counts['output_audio']) ?? undefined,
    cost,
  });
}

/**
 * A usage in an answer of OpenAI, with the details that attributes lack; `undefined` for that of other providers, which
 * has no total and cached tokens beside the input.
 */
export const reportedOpenAiUsage = (usage: unknown): ReadUsage | undefined =>
  objectOf(usage)['total_tokens'] === undefined ? undefined : reportedUsage({ ...readOpenAiUsage(usage) });

const DETAILS = ['prompt_tokens_details', 'completion_tokens_details', 'input_tokens_details', 'output_tokens_details'];

/** LangChain's handler writes tiers before the names (`input_flex_cache_read`), and Vertex AI's counts by modality. */
const CACHED = /^input_(?:.*cache_read|cached)|^cache_read_input|^cached_modality_/;
const WRITTEN = /cache_(?:creation|write)|ephemeral_/;
const REASONING = /reasoning|^thoughts_token/;
const TIER = /^input_(flex|priority)$/;

/** Sums of the buckets by what their names say; `undefined` where no bucket of that side has a count. */
function sumsOf(counts: Readonly<Record<string, unknown>>): ReadUsage {
  let inputTokens: number | undefined;
  let outputTokens: number | undefined;
  let cachedInputTokens: number | undefined;
  let cacheWriteTokens: number | undefined;
  let cacheWrite1hTokens: number | undefined;
  let reasoningTokens: number | undefined;
  let serviceTier: string | undefined;
  for (const bucket of Object.keys(counts)) {
    const count = countOf(counts[bucket]);
    if (count === null) continue;
    const name = bucket.toLowerCase();
    serviceTier ??= TIER.exec(name)?.[1];
    if (REASONING.test(name)) reasoningTokens = (reasoningTokens ?? 0) + count;
    if (CACHED.test(name)) cachedInputTokens = (cachedInputTokens ?? 0) + count;
    if (WRITTEN.test(name)) {
      cacheWriteTokens = (cacheWriteTokens ?? 0) + count;
      if (name.includes('1h')) cacheWrite1hTokens = (cacheWrite1hTokens ?? 0) + count;
    }
    if (/input|prompt|^cached_/.test(name)) inputTokens = (inputTokens ?? 0) + count;
    else if (/output|completion|^thoughts_/.test(name)) outputTokens = (outputTokens ?? 0) + count;
  }
  return {
    ...{ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens },
    ...{ reasoningTokens, serviceTier },
  };
}

function sumOfAmounts(costs: Readonly<Record<string, unknown>>): number | undefined {
  const amounts = Object.values(costs).flatMap((value) => amountOf(value) ?? []);
  return amounts.length === 0 ? undefined : amounts.reduce((sum, amount) => sum + amount, 0);
}
