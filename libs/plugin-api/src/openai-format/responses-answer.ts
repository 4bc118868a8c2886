import type { ToolCall, Usage } from '../chat.js';
import type { RecordedAnswer } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { filledTextOf, listOf, objectOf, textOf, without, type JsonObject } from '../wire/lenient-json.js';
import { reasoningText } from '../wire/reasoning.js';
import { readUsageOf } from './usage.js';

/**
 * Reads a response object of the Responses API, whole or as far as it has come. One in the background that has not ended
 * has its status as finish reason (docs/spec/recording.md#responses-in-the-background).
 */
export function readResponse(body: unknown): RecordedAnswer {
  const response = objectOf(body);
  const { output } = response;
  const items = listOf(output).map(objectOf);
  const text = Array.isArray(output) ? outputText(items) : null;
  const reasoning = items.flatMap((item) => (item['type'] === 'reasoning' ? reasoningParts(item) : [])).join('\n\n');
  return {
    model: textOf(response['model']),
    text: isPending(response) ? text || null : text,
    finishReason: filledTextOf(objectOf(response['incomplete_details'])['reason']) ?? filledTextOf(response['status']),
    toolCalls: items.flatMap(readToolCall),
    ...(reasoning !== '' && { reasoning }),
    usage: readUsage(response, items),
    error: embeddedErrorOf(body) ?? (response['status'] === 'failed' ? 'the response failed' : null),
  };
}

/** Whether a response is still to be made. */
export const isPending = ({ status }: JsonObject): boolean => status === 'queued' || status === 'in_progress';

/** Text of all messages, joined as the official client does (`output_text`); a refusal when there is no text. */
function outputText(items: readonly JsonObject[]): string {
  const parts = items.flatMap((item) => {
    if (item['type'] !== undefined && item['type'] !== 'message') return [];
    return textOf(item['content']) === null ? listOf(item['content']).map(objectOf) : { text: item['content'] };
  });
  const joined = (...members: string[]) =>
    parts.map((part) => members.map((member) => textOf(part[member])).find((text) => text !== null) ?? '').join('');
  return joined('text', 'transcript') || joined('refusal');
}

const reasoningParts = ({ summary, content }: JsonObject): string[] =>
  [...listOf(summary), ...listOf(content)].map((part) => reasoningText(part)).filter((text) => text !== '');

/**
 * Calls of the client's functions and of hosted tools alike; a hosted tool without a name goes by its type. An item of an
 * unknown type counts as a call, so that what it holds is kept.
 */
function readToolCall(item: JsonObject): ToolCall[] {
  const type = textOf(item['type']);
  if (!type || NO_CALLS.has(type) || type.endsWith('_output')) return [];
  const server = filledTextOf(item['server_label']);
  return [
    {
      id: filledTextOf(item['call_id']) ?? textOf(item['id']),
      name: filledTextOf(item['name']) ?? type,
      arguments: askedOf(item),
      ...(server !== null && { server }),
    },
  ];
}

const NO_CALLS: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'compaction',
  'mcp_list_tools',
  'mcp_approval_response',
  'additional_tools',
  'item_reference',
]);

/** What a tool was asked: where its kind has it, else everything of the item that is neither form nor result. */
function askedOf(item: JsonObject): unknown {
  const asked = ASKED.map((member) => item[member]).find(isThere);
  if (asked !== undefined) return asked;
  const left = Object.entries(without(item, ...FORM)).filter(([, value]) => isThere(value));
  return left.length > 0 ? Object.fromEntries(left) : null;
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

const ASKED = ['arguments', 'input', 'action', 'actions', 'queries', 'code', 'operation'];
const FORM = [
  'approval_request_id',
  'call_id',
  'caller',
  'created_by',
  'encrypted_content',
  'error',
  'fingerprint',
  'id',
  'name',
  'output',
  'outputs',
  'result',
  'results',
  'server_label',
  'status',
  'type',
];

/** Searches of the web are fees of their own; opening a page and looking in it are none. */
function readUsage(response: JsonObject, items: readonly JsonObject[]): Usage {
  const usage = readUsageOf(response);
  const searches = items.filter(
    ({ type, action }) => type === 'web_search_call' && (objectOf(action)['type'] ?? 'search') === 'search',
  );
  return searches.length > 0 ? { ...usage, webSearchRequests: usage.webSearchRequests || searches.length } : usage;
}
