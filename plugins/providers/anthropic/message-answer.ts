import {
  embeddedErrorOf,
  filledTextOf,
  listOf,
  objectOf,
  textOf,
  type RecordedAnswer,
  type ToolCall,
} from '@spandrel/plugin-api';
import { readMessageUsage } from './message-usage.js';

/** Reads a message of the Messages API, whole or as far as it has come. */
export function readMessage(body: unknown): RecordedAnswer {
  const message = objectOf(body);
  const blocks = listOf(message['content']).map(objectOf);
  const joined = (type: string): string =>
    blocks.map((block) => (block['type'] === type ? (textOf(block[type]) ?? '') : '')).join('');
  const reasoning = joined('thinking');
  return {
    model: textOf(message['model']),
    text: Array.isArray(message['content']) ? joined('text') : null,
    finishReason: filledTextOf(message['stop_reason']),
    toolCalls: blocks.filter(({ type }) => isToolUse(type)).map(readToolUse),
    ...(reasoning !== '' && { reasoning }),
    usage: readMessageUsage(message['usage']),
    error: embeddedErrorOf(body),
  };
}

/** `tool_use`, and the uses of Anthropic's own tools (`server_tool_use`, `mcp_tool_use`). */
const isToolUse = (type: unknown): boolean => textOf(type)?.endsWith('tool_use') ?? false;

function readToolUse(block: Readonly<Record<string, unknown>>): ToolCall {
  const server = filledTextOf(block['server_name']);
  return {
    id: textOf(block['id']),
    name: textOf(block['name']) ?? '',
    arguments: block['input'] ?? null,
    ...(server !== null && { server }),
  };
}
