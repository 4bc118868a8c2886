import {
  embeddedErrorOf,
  filledTextOf,
  listOf,
  objectOf,
  textOf,
  type RecordedAnswer,
  type ToolCall,
  countOf,
  errorMessageOf,
  errorOfFrame,
  readExactJson,
  readJson,
  type JsonObject,
  type StreamFrame,
  type StreamReader,
  messagesOf,
  withSystemFirst,
  without,
  type Endpoint,
  type RecordedRequest,
  reportedCost,
  setMember,
  UNKNOWN_USAGE,
  usageOf,
  type Usage,
} from '@spandrel/plugin-api';

/** Reads a message of the Messages API, whole or as far as it has come. */
export function readMessage(body: unknown): RecordedAnswer {
  const message = objectOf(body);
  const blocks = listOf(message['content']).map(objectOf);
  const joined = (type: string): string =>
    blocks.map((block) => (block['type'] === type ? (textOf(block[type]) ?? '') : '')).join('');
  const reasoning = joined('thinking');
  const text = Array.isArray(message['content']) ? joined('text') : null;
  return {
    model: textOf(message['model']),
    text: text || (filledTextOf(objectOf(message['stop_details'])['explanation']) ?? text),
    finishReason: filledTextOf(message['stop_reason']),
    toolCalls: blocks.filter(({ type }) => isToolUse(type)).map(readToolUse),
    ...(reasoning !== '' && { reasoning }),
    usage: { ...readMessageUsage(message['usage']), ...(isFree(message) && { cost: 0 }) },
    ...(isServedByFallback(message) && { isFallback: true }),
    error: embeddedErrorOf(body),
  };
}

/** Whether nothing is billed: a request that was refused before there was any output, but for some categories. */
function isFree({ stop_reason: reason, stop_details: details, content }: JsonObject): boolean {
  const { type, category = null } = objectOf(details);
  return reason === 'refusal' && type === 'refusal' && listOf(content).length === 0 && !BILLED_REFUSALS.has(category);
}

/** Categories of refusals that are billed without output (Anthropic's page on refusals and fallback). */
const BILLED_REFUSALS: ReadonlySet<unknown> = new Set(['bio', 'frontier_llm', 'reasoning_extraction']);

const isServedByFallback = ({ usage }: JsonObject): boolean =>
  listOf(objectOf(usage)['iterations']).some((iteration) => objectOf(iteration)['type'] === 'fallback_message');

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

/** A content block as it began, with the pieces that came since. */
interface Block {
  index: number;
  begun: JsonObject;
  text: string;
  thinking: string;
  inputJson: string;
}

/** Reads a Messages stream. `ping` and events of a later version are passed over. */
export class MessageStream implements StreamReader {
  started = false;
  ended = false;
  private message: JsonObject = {};
  private readonly ending: Record<string, unknown> = {};
  private readonly usage: Record<string, unknown> = {};
  private error: string | null = null;
  /** In the order in which they began. */
  private readonly blocks: Block[] = [];
  private readonly lastAt = new Map<number, Block>();

  push({ event, data }: StreamFrame): void {
    const parsed = readJson(data);
    const frame = objectOf(parsed);
    switch (textOf(frame['type']) ?? event) {
      case 'message_start':
        this.message = objectOf(frame['message']);
        addUsage(this.usage, this.message['usage']);
        break;
      case 'content_block_start':
        this.beginBlock(frame);
        break;
      case 'content_block_delta':
        this.pushDelta(frame);
        break;
      case 'message_delta':
        this.pushEnding(objectOf(frame['delta']));
        addUsage(this.usage, frame['usage']);
        break;
      case 'message_stop':
        this.ended = true;
        break;
      case 'error':
        this.error = errorMessageOf(parsed) ?? (data.trim() || 'error');
        break;
      case undefined:
        this.error = errorOfFrame({ data }, parsed) ?? this.error;
        break;
    }
  }

  answer(): RecordedAnswer {
    const blocks = this.blocks.toSorted((a, b) => a.index - b.index).map(assemble);
    const content = blocks.length > 0 ? blocks : this.message['content'];
    return { ...readMessage({ ...this.message, content, usage: this.usage, ...this.ending }), error: this.error };
  }

  /** Why the answer ends; an empty reason takes no other back. */
  private pushEnding(delta: JsonObject): void {
    for (const name of ['stop_reason', 'stop_details']) if (delta[name]) this.ending[name] = delta[name];
  }

  private beginBlock(frame: JsonObject): void {
    const begun = objectOf(frame['content_block']);
    this.addBlock(countOf(frame['index']) ?? this.blocks.length, begun);
    if (begun['type'] !== 'text' && begun['type'] !== 'thinking') this.started = true;
    if ((filledTextOf(begun['text']) ?? filledTextOf(begun['thinking'])) !== null) this.started = true;
  }

  /** Servers that number blocks alike begin another one with each start. */
  private addBlock(index: number, begun: JsonObject): Block {
    const block: Block = { index, begun, text: '', thinking: '', inputJson: '' };
    this.blocks.push(block);
    this.lastAt.set(index, block);
    return block;
  }

  private pushDelta(frame: JsonObject): void {
    const delta = objectOf(frame['delta']);
    const index = countOf(frame['index']) ?? this.blocks.at(-1)?.index ?? 0;
    const type = typeof delta['thinking'] === 'string' ? 'thinking' : 'text';
    const block = this.lastAt.get(index) ?? this.addBlock(index, { type });
    const text = filledTextOf(delta['text']);
    const thinking = filledTextOf(delta['thinking']);
    const inputJson = filledTextOf(delta['partial_json']);
    block.text += text ?? '';
    block.thinking += thinking ?? '';
    block.inputJson += inputJson ?? '';
    if ((text ?? thinking ?? inputJson) !== null) this.started = true;
  }
}

/** The block in the form a whole message has it; tool input that was cut off stays JSON text. */
function assemble({ begun, text, thinking, inputJson }: Block): JsonObject {
  return {
    ...begun,
    ...(text !== '' && { text: (textOf(begun['text']) ?? '') + text }),
    ...(thinking !== '' && { thinking: (textOf(begun['thinking']) ?? '') + thinking }),
    ...(inputJson !== '' && { input: readExactJson(inputJson) ?? inputJson }),
  };
}

/** `POST /v1/messages`; `system` (a text or blocks) is recorded as the first message. */
export const messagesEndpoint: Endpoint = {
  name: 'messages',
  framing: 'sse',
  readRequest,
  readAnswer: readMessage,
  readStream: () => new MessageStream(),
};

function readRequest(body: unknown): RecordedRequest {
  const request = objectOf(body);
  return {
    model: textOf(request['model']),
    input: withSystemFirst(request['system'], messagesOf(request['messages'])),
    streaming: request['stream'] === true,
    parameters: without(request, 'model', 'messages', 'system'),
  };
}

/**
 * Reads a `usage` of the Messages API (docs/spec/recording.md#usage). Anthropic counts cached tokens apart from
 * `input_tokens`; here they are part of it. Where it lists the iterations that the answer took, what is billed is their
 * sum: a compaction is in no other count.
 */
export function readMessageUsage(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return UNKNOWN_USAGE;
  const counts = objectOf(usage);
  const billed = billedIterations(counts).map(tokensOf);
  const own = tokensOf(counts);
  // An early event of a stream may list fewer iterations than a later one has counted.
  const tokens = Object.fromEntries(
    Object.entries(own).map(([name, count]) => [name, largerOf(count, sumOf(billed, name as keyof Tokens))]),
  ) as unknown as Tokens;
  const { uncached, cacheRead, cacheWritten } = tokens;
  return usageOf({
    inputTokens: uncached === null ? null : uncached + (cacheRead ?? 0) + (cacheWritten ?? 0),
    outputTokens: tokens.output,
    cachedInputTokens: cacheRead,
    cacheWriteTokens: cacheWritten,
    cacheWrite1hTokens: tokens.cacheWritten1h,
    reasoningTokens: tokens.thinking,
    webSearchRequests: countOf(objectOf(counts['server_tool_use'])['web_search_requests']),
    serviceTier: tierOf(counts),
    cost: reportedCost(counts),
  });
}

/**
 * Adds the usage of another event to that of its stream, in place: counts are cumulative, and those that an event leaves
 * out, has as `null` or not counted yet (zero) take nothing back.
 */
function addUsage(usage: Record<string, unknown>, later: unknown): void {
  for (const [name, value] of Object.entries(objectOf(later))) {
    if (value === null || (value === 0 && usage[name])) continue;
    const group = usage[name];
    const isObject = typeof value === 'object' && !Array.isArray(value);
    if (isObject && typeof group === 'object' && group !== null) Object.assign(group, value);
    else setMember(usage, name, isObject ? { ...value } : value);
  }
}

/** The tier with, behind a `+`, the place where a call was held to be answered, which has a factor of its own. */
function tierOf(counts: JsonObject): string | null {
  const tier = counts['speed'] === 'fast' ? 'fast' : textOf(counts['service_tier']);
  const place = textOf(counts['inference_geo']);
  return [tier, place === 'global' || place === 'not_available' ? '' : place].filter(Boolean).join('+') || null;
}

interface Tokens {
  uncached: number | null;
  cacheRead: number | null;
  cacheWritten: number | null;
  cacheWritten1h: number | null;
  output: number | null;
  thinking: number | null;
}

function tokensOf(usage: JsonObject): Tokens {
  const { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: hour } = objectOf(usage['cache_creation']);
  const byTime = [countOf(fiveMinutes), countOf(hour)];
  return {
    uncached: countOf(usage['input_tokens']),
    cacheRead: countOf(usage['cache_read_input_tokens']),
    cacheWritten: largerOf(countOf(usage['cache_creation_input_tokens']), addUp(byTime)),
    cacheWritten1h: countOf(hour),
    output: countOf(usage['output_tokens']),
    thinking: countOf(objectOf(usage['output_tokens_details'])['thinking_tokens']),
  };
}

/**
 * The iterations that are paid: all but the attempts of models that declined, which are `message` entries of another
 * model than the last (Anthropic's SDK types, `BetaFallbackMessageIterationUsage`).
 */
function billedIterations(usage: JsonObject): JsonObject[] {
  const iterations = listOf(usage['iterations']).map(objectOf);
  const served = iterations.findLast(({ type }) => type === 'fallback_message' || type === 'message');
  return iterations.filter(({ type, model }) => type !== 'message' || model === served?.['model']);
}

const sumOf = (iterations: readonly Tokens[], name: keyof Tokens): number | null =>
  addUp(iterations.map((tokens) => tokens[name]));

const addUp = (counts: readonly (number | null)[]): number | null =>
  counts.reduce<number | null>((sum, count) => (count === null ? sum : (sum ?? 0) + count), null);

const largerOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
