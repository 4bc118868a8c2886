import { UNKNOWN_USAGE, type Usage } from '../chat.js';
import { countOf, objectOf } from '../wire/lenient-json.js';

/** Tokens of a chat completion, completion or embedding answer (`usage`); all unknown when there is none. */
export function readOpenAiUsage(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return UNKNOWN_USAGE;
  const counts = objectOf(usage);
  return {
    inputTokens: countOf(counts['prompt_tokens']),
    outputTokens: countOf(counts['completion_tokens']),
    cachedInputTokens: countOf(objectOf(counts['prompt_tokens_details'])['cached_tokens']),
    reasoningTokens: countOf(objectOf(counts['completion_tokens_details'])['reasoning_tokens']),
  };
}
