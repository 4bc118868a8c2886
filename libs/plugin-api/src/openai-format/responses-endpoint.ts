import type { ChatMessage, ToolCall, Usage } from '../chat.js';
import type { Endpoint, RecordedRequest, RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import {
  objectOf,
  textOf,
  without,
  filledTextOf,
  listOf,
  type JsonObject,
  countOf,
  readJson,
} from '../wire/lenient-json.js';
import { withSystemFirst, reasoningText } from '../wire/messages.js';
import { embeddedErrorOf, errorMessageOf, errorOfFrame } from '../wire/error-message.js';
import { readOpenAiUsage, readUsageOf } from './usage.js';
import { OPENAI_END_MARK } from './chat-endpoint.js';

/** The Responses API. `instructions` is the system prompt, `input` a text or a list of items. */
export const responsesEndpoint: Endpoint = {
  name: 'responses',
  framing: 'sse',
  readRequest,
  readAnswer: readResponse,
  readStream: () => new ResponsesStream(),
};

/**
 * Responses of a Realtime session, each as the gateway puts it together from the session's events
 * (docs/spec/gateway.md#websockets).
 */
export const realtimeEndpoint: Endpoint = { ...responsesEndpoint, name: 'realtime' };

function readRequest(body: unknown): RecordedRequest {
  const request = objectOf(body);
  const input = request['input'];
  return {
    model: textOf(request['model']),
    input: withSystemFirst(request['instructions'], Array.isArray(input) ? input.map(messageOf) : input),
    streaming: request['stream'] === true,
    parameters: without(request, 'model', 'input', 'instructions'),
  };
}

/** An input item as a message: items that are not messages keep their members and get the role of their sender. */
function messageOf(value: unknown): ChatMessage {
  const item = objectOf(value);
  const type = textOf(item['type']) ?? 'message';
  if (type === 'message') {
    return { ...without(item, 'type'), role: textOf(item['role']) ?? 'user', content: item['content'] ?? null };
  }
  if (type.endsWith('_output')) {
    return { ...without(item, 'output'), role: 'tool', content: item['output'] ?? null };
  }
  const role = BY_CLIENT.has(type) ? 'user' : (textOf(item['role']) ?? 'assistant');
  return { ...item, role, content: item['content'] ?? null };
}

const BY_CLIENT = new Set(['mcp_approval_response', 'compaction_trigger', 'configuration_update']);

/**
 * Reads a response object of the Responses API, whole or as far as it has come. One in the background that has not ended
 * has its status as finish reason (docs/spec/recording.md#responses-in-the-background).
 */
function readResponse(body: unknown): RecordedAnswer {
  const response = objectOf(body);
  const { output } = response;
  const items = listOf(output).map(objectOf);
  const text = Array.isArray(output) ? outputText(items) : null;
  const { reason: endReason, error: endError } = objectOf(response['status_details']);
  const details = filledTextOf(objectOf(response['incomplete_details'])['reason']) ?? filledTextOf(endReason);
  const reasoning = items.flatMap((item) => (item['type'] === 'reasoning' ? reasoningParts(item) : [])).join('\n\n');
  return {
    model: textOf(response['model']),
    text: isPending(response) ? text || null : text,
    finishReason: details ?? filledTextOf(response['status']),
    toolCalls: items.flatMap(readToolCall),
    ...(reasoning !== '' && { reasoning }),
    usage: readUsage(response, items),
    error: embeddedErrorOf(body) ?? (response['status'] === 'failed' ? failureOf(endError) : null),
  };
}

/** What a failed response of a Realtime session says of its failure: seldom a message, else a code. */
function failureOf(error: unknown): string {
  const { code, type } = objectOf(error);
  return errorMessageOf({ error }) ?? filledTextOf(code) ?? filledTextOf(type) ?? 'the response failed';
}

/** Whether a response is still to be made. */
const isPending = ({ status }: JsonObject): boolean => status === 'queued' || status === 'in_progress';

/**
 * Text of the model's messages, joined as the official client does (`output_text`); a refusal when there is no text. A compaction gives
 * the user's messages back beside it.
 */
function outputText(items: readonly JsonObject[]): string {
  const parts = items.flatMap((item) => {
    if ((item['type'] ?? 'message') !== 'message' || (item['role'] ?? 'assistant') !== 'assistant') return [];
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
  'agent_message',
  'reasoning',
  'compaction',
  'mcp_list_tools',
  'additional_tools',
  'item_reference',
  ...BY_CLIENT,
]);

/** What a tool was asked: where its kind has it, else everything of the item that is neither form nor result. */
function askedOf(item: JsonObject): unknown {
  // Pictures have a word there for what is done with what they were asked.
  const asked = ASKED.map((member) => item[member]).find((value, at) => isThere(value) && !isWord(ASKED[at], value));
  if (asked !== undefined) return asked;
  const left = Object.entries(without(item, ...FORM)).filter(([, value]) => isThere(value));
  return left.length > 0 ? Object.fromEntries(left) : null;
}

const isWord = (member: unknown, value: unknown): boolean => member === 'action' && typeof value === 'string';

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

/**
 * The usage with what hosted tools used beside it. Searches of the web are fees of their own: those that the provider bills,
 * where it does not say so those of the items; opening a page is none, nor is one that failed. The model that makes
 * pictures has other prices than the response's.
 */
function readUsage(response: JsonObject, items: readonly JsonObject[]): Usage {
  const usage = withPictures(readUsageOf(response), objectOf(objectOf(response['tool_usage'])['image_gen']));
  const billed = countOf(objectOf(objectOf(response['tool_usage'])['web_search'])['num_requests']);
  if (billed !== null && (billed > 0 || response['status'] === 'completed')) {
    return { ...usage, webSearchRequests: billed };
  }
  const searches = items.filter(
    ({ type, status, action }) =>
      type === 'web_search_call' && status !== 'failed' && (objectOf(action)['type'] ?? 'search') === 'search',
  );
  return searches.length > 0 ? { ...usage, webSearchRequests: usage.webSearchRequests || searches.length } : usage;
}

function withPictures(usage: Usage, made: JsonObject): Usage {
  const { inputTokens, outputTokens, inputImageTokens } = readOpenAiUsage(made);
  if (!outputTokens) return usage;
  return {
    ...usage,
    inputTokens: (usage.inputTokens ?? 0) + (inputTokens ?? 0),
    inputImageTokens: (usage.inputImageTokens ?? 0) + (inputImageTokens ?? 0),
    outputTokens: (usage.outputTokens ?? 0) + outputTokens,
    outputImageTokens: outputTokens,
  };
}

/** The members of an output item that come in pieces. */
type Member = 'text' | 'reasoning' | 'arguments' | 'input' | 'code';

/** An output item as the provider last sent it whole, with the pieces that came since. */
interface OutputItem {
  announced: JsonObject;
  pieces: Partial<Record<Member, string>>;
}

const END_EVENTS = new Set(['response.completed', 'response.failed', 'response.incomplete']);

/**
 * Reads a Responses stream: pieces until the end event brings the response whole. OpenAI sends no `[DONE]`, others end
 * with it alone.
 */
class ResponsesStream implements StreamReader {
  started = false;
  ended = false;
  private response: JsonObject = {};
  private error: string | null = null;
  private readonly items = new Map<number, OutputItem>();
  private readonly indexes = new Map<string, number>();

  push({ event, data }: StreamFrame): void {
    if (data.trim() === OPENAI_END_MARK) {
      this.ended = true;
      return;
    }
    const parsed = readJson(data);
    const frame = objectOf(parsed);
    const type = textOf(frame['type']) ?? event ?? '';
    if (type === 'response.done') this.pushEnd(type, objectOf(frame['response']));
    else if (type === 'error') this.error = errorMessageOf(frame) ?? (data.trim() || 'error');
    else if (type === '') this.error = errorOfFrame({ data }, parsed) ?? this.error;
    else if (type.endsWith('.delta') || type.endsWith('.done')) this.pushPiece(type, frame);
    else if (type === 'response.output_item.added') this.pushItem(frame);
    else if (type === 'response.reasoning_summary_part.added') this.beginSummaryPart(frame);
    else if (END_EVENTS.has(type)) this.pushEnd(type, objectOf(frame['response']));
    else this.pushResponse(objectOf(frame['response']));
  }

  answer(): RecordedAnswer {
    const output = this.response['output'];
    const whole = this.ended && Array.isArray(output) && output.length > 0;
    const isSeen = whole || this.items.size === 0;
    const answer = readResponse(isSeen ? this.response : { ...this.response, output: this.pieces() });
    const finishReason = isPending(this.response) ? null : answer.finishReason;
    return { ...answer, finishReason, error: answer.error ?? this.error };
  }

  private pushEnd(type: string, response: JsonObject): void {
    this.ended = true;
    this.pushResponse({ status: type.slice('response.'.length), ...response });
  }

  /** Some servers end with less of the response than they began with. */
  private pushResponse(response: JsonObject): void {
    const given = Object.entries(response).filter(([, value]) => value !== null);
    this.response = { ...this.response, ...Object.fromEntries(given) };
  }

  private pushItem(frame: JsonObject): void {
    const item = this.itemAt(frame);
    item.announced = objectOf(frame['item']);
    if (textOf(item.announced['type'])?.endsWith('_call')) this.started = true;
  }

  private beginSummaryPart(frame: JsonObject): void {
    const { pieces } = this.itemAt(frame);
    if (pieces.reasoning) pieces.reasoning += '\n\n';
  }

  /** A piece, or at the end of pieces all of them again, which counts where none came. */
  private pushPiece(type: string, frame: JsonObject): void {
    if (type === 'response.output_item.done') {
      this.pushItem(frame);
      return;
    }
    const member = memberOf(type);
    const delta = type.endsWith('.delta') ? filledTextOf(frame['delta']) : null;
    if (delta !== null) this.started = true;
    if (member === null) return;
    const { pieces } = this.itemAt(frame);
    if (delta !== null) pieces[member] = (pieces[member] ?? '') + delta;
    else if (type.endsWith('.done') && !pieces[member]) this.setWhole(pieces, member, frame);
  }

  private setWhole(pieces: OutputItem['pieces'], member: Member, frame: JsonObject): void {
    const { text, refusal, transcript } = frame;
    const whole = [frame[member], text, refusal, transcript].map(filledTextOf).find((found) => found !== null);
    if (!whole) return;
    pieces[member] = whole;
    this.started = true;
  }

  /** Servers that do not number items name them; an item without either is another one, a piece is of the last. */
  private itemAt(frame: JsonObject): OutputItem {
    const { id: own, call_id: called } = objectOf(frame['item']);
    const id = [frame['item_id'], own, called].map(filledTextOf).find((found) => found !== null);
    const next = frame['item'] === undefined && id === undefined ? Math.max(0, this.items.size - 1) : this.items.size;
    const index = countOf(frame['output_index']) ?? (id === undefined ? next : (this.indexes.get(id) ?? next));
    if (id) this.indexes.set(id, index);
    const item = this.items.get(index) ?? { announced: {}, pieces: {} };
    this.items.set(index, item);
    return item;
  }

  private pieces(): JsonObject[] {
    return [...this.items].sort(([a], [b]) => a - b).map(([, item]) => assemble(item));
  }
}

/** The member that an event brings a piece of; `null` for audio and for what is only known once it is whole. */
function memberOf(type: string): Member | null {
  const kind = type.slice(0, type.lastIndexOf('.'));
  if (/(?:output_text|refusal|transcript)$/.test(kind)) return 'text';
  if (kind.includes('reasoning') && !kind.endsWith('_part')) return 'reasoning';
  return (/_(arguments|input|code)$/.exec(kind)?.[1] as Member | undefined) ?? null;
}

/** The item in the form a whole response has it; what the provider sent whole wins over its pieces. */
function assemble({ announced, pieces }: OutputItem): JsonObject {
  const { text, reasoning, ...asked } = pieces;
  const item: Record<string, unknown> = { ...announced, type: textOf(announced['type']) ?? typeOf(pieces) };
  if (text && !isFilled(announced['content'])) item['content'] = [{ type: 'output_text', text }];
  if (reasoning && !isFilled(announced['summary']) && !isFilled(announced['content'])) item['summary'] = [reasoning];
  for (const [member, value] of Object.entries(asked)) {
    if (filledTextOf(announced[member]) === null) item[member] = value;
  }
  return item;
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

function typeOf({ reasoning, arguments: given, input, code }: OutputItem['pieces']): string {
  if (given !== undefined) return 'function_call';
  if (input !== undefined) return 'custom_tool_call';
  if (code !== undefined) return 'code_interpreter_call';
  return reasoning === undefined ? 'message' : 'reasoning';
}
