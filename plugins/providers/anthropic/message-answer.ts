import {
  countOf,
  embeddedErrorOf,
  listOf,
  objectOf,
  textOf,
  UNKNOWN_USAGE,
  type RecordedAnswer,
  type ToolCall,
  type Usage,
} from '@spandrel/plugin-api';

/** Reads a message of the Messages API, whole or as far as it has come. */
export function readMessage(body: unknown): RecordedAnswer {
  const message = objectOf(body);
  const blocks = listOf(message['content']).map(objectOf);
  return {
    model: textOf(message['model']),
    text: Array.isArray(message['content'])
      ? blocks.map((block) => (block['type'] === 'text' ? (textOf(block['text']) ?? '') : '')).join('')
      : null,
    finishReason: textOf(message['stop_reason']),
    toolCalls: blocks.filter(({ type }) => isToolUse(type)).map(readToolUse),
    usage: readUsage(message['usage']),
    error: embeddedErrorOf(body),
  };
}

/** `tool_use`, and the uses of Anthropic's own tools (`server_tool_use`, `mcp_tool_use`). */
const isToolUse = (type: unknown): boolean => textOf(type)?.endsWith('tool_use') ?? false;

const readToolUse = (block: Readonly<Record<string, unknown>>): ToolCall => ({
  id: textOf(block['id']),
  name: textOf(block['name']) ?? '',
  arguments: block['input'] ?? null,
});

/** What is read of a usage. */
export const COUNTS = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
  'output_tokens_details',
] as const;

/** Anthropic counts cached tokens apart from `input_tokens`; here they are part of it. */
function readUsage(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return UNKNOWN_USAGE;
  const counts = objectOf(usage);
  const uncached = countOf(counts['input_tokens']);
  const cacheRead = countOf(counts['cache_read_input_tokens']);
  const cacheWritten = countOf(counts['cache_creation_input_tokens']);
  return {
    inputTokens: uncached === null ? null : uncached + (cacheRead ?? 0) + (cacheWritten ?? 0),
    outputTokens: countOf(counts['output_tokens']),
    cachedInputTokens: cacheRead,
    reasoningTokens: countOf(objectOf(counts['output_tokens_details'])['thinking_tokens']),
  };
}
