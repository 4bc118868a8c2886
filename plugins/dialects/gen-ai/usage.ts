import { amountAt, countAt, hasAny, reportedUsage, textAt, type OtelSpan, type ReadUsage } from '@spandrel/plugin-api';

/** Tokens and cost; `undefined` when the span reports none. */
export function usageOf({ attributes, scope }: OtelSpan): ReadUsage | undefined {
  const inputTokens = countAt(attributes, INPUT);
  const outputTokens = countAt(attributes, OUTPUT);
  const cost = amountAt(attributes, COST);
  if (inputTokens === undefined && outputTokens === undefined && cost === undefined) return undefined;
  const totalTokens = countAt(attributes, ['gen_ai.usage.total_tokens', 'llm.usage.total_tokens']);
  return reportedUsage({
    inputTokens,
    outputTokens,
    totalTokens,
    cachedInputTokens: countAt(attributes, CACHED),
    cacheWriteTokens: countAt(attributes, WRITTEN),
    reasoningTokens: countAt(attributes, REASONING),
    cost,
    // Strands passes on Bedrock's count of input tokens, which leaves out the cached ones; a total shows those of others.
    inputExcludesCached:
      scope.name.startsWith('strands.') && totalTokens === undefined && hasAny(attributes, STRANDS) ? true : undefined,
    outputExcludesReasoning: attributes.has(ADK_REASONING) ? true : undefined,
    cacheWrite1hTokens: countAt(attributes, WRITTEN_1H),
    inputAudioTokens: countAt(attributes, INPUT_AUDIO),
    outputAudioTokens: countAt(attributes, OUTPUT_AUDIO),
    inputImageTokens: countAt(attributes, INPUT_IMAGE),
    outputImageTokens: countAt(attributes, OUTPUT_IMAGE),
    cachedAudioTokens: countAt(attributes, CACHED_AUDIO),
    cachedImageTokens: countAt(attributes, CACHED_IMAGE),
    webSearchRequests: countAt(attributes, WEB_SEARCHES),
    serviceTier: textAt(attributes, SERVICE_TIER),
  });
}

const INPUT = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'gen_ai.response.prompt_tokens',
  'llm.usage.prompt_tokens',
];
const OUTPUT = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'gen_ai.response.completion_tokens',
  'llm.usage.completion_tokens',
];
const CACHED = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'gen_ai.usage.cache_read_tokens',
  'gen_ai.usage.cached_tokens',
  'gen_ai.usage.cached_input_tokens',
  'gen_ai.usage.input_cached_tokens',
  'gen_ai.usage.input_tokens.cached',
  'gen_ai.usage.input_tokens.cache_read',
  'gen_ai.usage.prompt_token_details.cached_tokens',
  'gen_ai.usage.prompt_tokens_details.cached_tokens',
  'gen_ai.usage.input_token_details.cached_tokens',
  'gen_ai.usage.input_tokens_details.cached_tokens',
  'gen_ai.usage.details.cache_read_tokens',
  'gen_ai.usage.details.cache_read_input_tokens',
  'gen_ai.usage.details.cached_tokens',
  'gen_ai.usage.details.cached_content_tokens',
  'gen_ai.usage.details.cached_content_token_count',
  'llm.usage.cache_read_input_tokens',
];
const WRITTEN = [
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'gen_ai.usage.cache_write_input_tokens',
  'gen_ai.usage.cache_creation_tokens',
  'gen_ai.usage.cache_write_tokens',
  'gen_ai.usage.input_tokens.cache_write',
  'gen_ai.usage.input_tokens.cache_creation',
  'gen_ai.usage.details.cache_write_tokens',
  'gen_ai.usage.details.cache_creation_tokens',
  'gen_ai.usage.details.cache_creation_input_tokens',
  'llm.usage.cache_creation_input_tokens',
];
const WRITTEN_1H = [
  'gen_ai.usage.cache_creation.ephemeral_1h_input_tokens',
  'gen_ai.usage.cache_creation.ephemeral_1h.input_tokens',
  'gen_ai.usage.details.cache_write_1h_tokens',
  'gen_ai.usage.details.ephemeral_1h_input_tokens',
];
/** Google's kit before its version 2.4, whose output tokens leave out the thoughts that it reports beside them. */
const ADK_REASONING = 'gen_ai.usage.experimental.reasoning_tokens';
const REASONING = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'gen_ai.usage.reasoning_output_tokens',
  'gen_ai.usage.output_tokens.reasoning',
  'gen_ai.usage.output_reasoning_tokens',
  'gen_ai.usage.thinking_tokens',
  'gen_ai.usage.thoughts_tokens',
  ADK_REASONING,
  'gen_ai.usage.completion_token_details.reasoning_tokens',
  'gen_ai.usage.completion_tokens_details.reasoning_tokens',
  'gen_ai.usage.output_tokens_details.reasoning_tokens',
  'gen_ai.usage.details.reasoning_tokens',
  'gen_ai.usage.details.thoughts_tokens',
  'gen_ai.usage.details.thoughts_token_count',
  'gen_ai.usage.details.thinking_tokens',
  'codex.usage.reasoning_output_tokens',
  'llm.usage.reasoning_tokens',
];
const INPUT_AUDIO = [
  'gen_ai.usage.input_audio_tokens',
  'gen_ai.usage.audio_input_tokens',
  'gen_ai.usage.input_tokens.audio',
  'gen_ai.usage.audio.input_tokens',
  'gen_ai.usage.prompt_tokens_details.audio_tokens',
  'gen_ai.usage.details.input_audio_tokens',
  'gen_ai.usage.details.audio_prompt_tokens',
];
const OUTPUT_AUDIO = [
  'gen_ai.usage.output_audio_tokens',
  'gen_ai.usage.audio_output_tokens',
  'gen_ai.usage.output_tokens.audio',
  'gen_ai.usage.audio.output_tokens',
  'gen_ai.usage.completion_tokens_details.audio_tokens',
  'gen_ai.usage.details.output_audio_tokens',
  'gen_ai.usage.details.audio_candidates_tokens',
];
const INPUT_IMAGE = [
  'gen_ai.usage.input_image_tokens',
  'gen_ai.usage.input_tokens.image',
  'gen_ai.usage.image.input_tokens',
  'gen_ai.usage.details.input_image_tokens',
  'gen_ai.usage.details.image_prompt_tokens',
];
const OUTPUT_IMAGE = [
  'gen_ai.usage.output_image_tokens',
  'gen_ai.usage.output_tokens.image',
  'gen_ai.usage.image.output_tokens',
  'gen_ai.usage.details.output_image_tokens',
  'gen_ai.usage.details.image_candidates_tokens',
];
const CACHED_AUDIO = ['gen_ai.usage.audio.cache_read.input_tokens'];
const CACHED_IMAGE = ['gen_ai.usage.image.cache_read.input_tokens'];
const WEB_SEARCHES = [
  'gen_ai.usage.web_search_requests',
  'gen_ai.usage.server_tool_use.web_search_requests',
  'gen_ai.usage.details.web_search_requests',
];
const SERVICE_TIER = [
  'gen_ai.openai.response.service_tier',
  'openai.response.service_tier',
  'gen_ai.response.service_tier',
  'gen_ai.anthropic.service_tier',
  'gen_ai.service_tier',
];
const COST = [
  'gen_ai.usage.cost',
  'gen_ai.usage.cost.total',
  'operation.cost',
  'gen_ai.usage.total_cost',
  'gen_ai.usage.cost_usd',
  'gen_ai.cost.total_cost',
  'litellm.cost.total',
  'llm.usage.total_cost',
];
const STRANDS = ['gen_ai.usage.cache_read_input_tokens', 'gen_ai.usage.cache_write_input_tokens'];
