/** One message of a conversation, as spans and datapoints hold it. `content` is text or the provider's own parts. */
export interface ChatMessage {
  role: string;
  content: unknown;
  /** Members some providers add: `name`, `tool_calls`, `tool_call_id` … */
  [member: string]: unknown;
}

/** A tool call in an answer, as the provider wrote its arguments. */
export interface ToolCall {
  id?: string | null;
  name: string;
  /** JSON text as OpenAI sends it, or the value as Anthropic and Ollama send it. */
  arguments: unknown;
  /** The MCP server whose tool it is, where the provider calls it. */
  server?: string;
}

/**
 * What one call used, as the provider reported it; what it did not report is `null` or absent, never guessed
 * (docs/spec/spans.md#kinds).
 */
export interface Usage {
  /** All input tokens, those read from and written to a cache included. */
  inputTokens: number | null;
  /** All output tokens, those of reasoning included. */
  outputTokens: number | null;
  /** The part of the input tokens that was read from the provider's cache. */
  cachedInputTokens: number | null;
  reasoningTokens: number | null;
  /** The part of the input tokens that was written to the provider's cache, for whatever time. */
  cacheWriteTokens?: number | null | undefined;
  /** The part of the written tokens that are kept for an hour. */
  cacheWrite1hTokens?: number | null | undefined;
  inputAudioTokens?: number | null | undefined;
  outputAudioTokens?: number | null | undefined;
  inputImageTokens?: number | null | undefined;
  outputImageTokens?: number | null | undefined;
  /** The part of the cached tokens that is audio, where the provider reports it; so with images. */
  cachedAudioTokens?: number | null | undefined;
  cachedImageTokens?: number | null | undefined;
  webSearchRequests?: number | null | undefined;
  /** The tier that the provider says it served: `flex`, `priority` … */
  serviceTier?: string | null | undefined;
  /** What the provider says the call cost, in US dollars. */
  cost?: number | null | undefined;
}

export const UNKNOWN_USAGE: Usage = Object.freeze({
  inputTokens: null,
  outputTokens: null,
  cachedInputTokens: null,
  reasoningTokens: null,
});

/** A usage in which everything that is `null` or absent is unknown. */
export const usageOf = (reported: Partial<Usage>): Usage => laterUsage(UNKNOWN_USAGE, reported);

/**
 * What a stream has reported of its usage after one more piece. Counts only grow: a piece that reports none, or none yet
 * (zero), takes nothing back.
 */
export function laterUsage(before: Usage, later: Partial<Usage>): Usage {
  const merged: Record<string, unknown> = { ...before };
  for (const [member, value] of Object.entries(later)) {
    if (value === null || value === undefined || (value === 0 && merged[member])) continue;
    merged[member] = value;
  }
  return merged as unknown as Usage;
}

/** The counts of a {@link Usage}, with the members of `span.kind` that hold them. */
export const USAGE_COUNTS = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cachedInputTokens: 'cached_input_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  cacheWrite1hTokens: 'cache_write_1h_tokens',
  reasoningTokens: 'reasoning_tokens',
  inputAudioTokens: 'input_audio_tokens',
  outputAudioTokens: 'output_audio_tokens',
  inputImageTokens: 'input_image_tokens',
  outputImageTokens: 'output_image_tokens',
  cachedAudioTokens: 'cached_audio_tokens',
  cachedImageTokens: 'cached_image_tokens',
  webSearchRequests: 'web_search_requests',
} as const satisfies Partial<Record<keyof Usage, string>>;

/** Members of `span.kind` that say what a call used. */
export type UsageMembers = Partial<
  Record<(typeof USAGE_COUNTS)[keyof typeof USAGE_COUNTS] | 'cost', number> & { service_tier: string }
>;

/**
 * What is known of a usage, as members of `span.kind`. What a plugin reports may be of any type: a count that is no whole
 * number from 0, a cost that is no number from 0 and an empty tier are left out.
 */
export function usageMembers(usage: { readonly [Member in keyof Usage]?: unknown }): UsageMembers {
  const members: UsageMembers = {};
  for (const [name, member] of Object.entries(USAGE_COUNTS)) {
    const count = usage[name as keyof typeof USAGE_COUNTS];
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) members[member] = count;
  }
  const { serviceTier, cost } = usage;
  if (typeof serviceTier === 'string' && serviceTier !== '') members.service_tier = serviceTier;
  if (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0) members.cost = cost;
  return members;
}
