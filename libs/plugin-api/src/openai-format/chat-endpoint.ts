import type {
  Endpoint,
  RecordedRequest,
  RequestHead,
  RecordedAnswer,
  RecordedChoice,
  StreamFrame,
  StreamReader,
} from '../provider.js';
import {
  objectOf,
  textOf,
  without,
  countOf,
  filledTextOf,
  listOf,
  type JsonObject,
  readJson,
} from '../wire/lenient-json.js';
import {
  messagesOf,
  contentTextOf,
  reasoningOf,
  THOUGHT_END,
  transcriptOf,
  withThoughtsApart,
} from '../wire/messages.js';
import { embeddedErrorOf, errorOfFrame } from '../wire/error-message.js';
import { readToolCalls, ToolCallDeltas } from './tool-calls.js';
import { readUsageOf } from './usage.js';
import { laterUsage, UNKNOWN_USAGE, type Usage } from '../chat.js';

export const OPENAI_END_MARK = '[DONE]';

/**
 * A reader for a stream of chat completions, or of the older completions. Usage comes only when the client asked for it
 * (`stream_options`).
 */
export const readChatStream = (): StreamReader => new ChatStream();

class ChatStream implements StreamReader {
  started = false;
  ended = false;
  private model: string | null = null;
  private usage: Usage = UNKNOWN_USAGE;
  private error: string | null = null;
  private readonly choices = new Map<number, ChoicePieces>();

  push(frame: StreamFrame): void {
    if (frame.data.trim() === OPENAI_END_MARK) {
      this.ended = true;
      return;
    }
    const parsed = readJson(frame.data);
    const chunk = objectOf(parsed);
    this.model = filledTextOf(chunk['model']) ?? this.model;
    const usage = readUsageOf(chunk);
    if (usage !== UNKNOWN_USAGE) this.usage = laterUsage(this.usage, usage);
    const choices = choicesOf(chunk['choices']);
    for (const { index, choice } of choices) this.pushChoice(index, choice);
    this.error = errorOfFrame(frame, parsed) ?? errorOfChoices(choices.map(({ choice }) => choice)) ?? this.error;
  }

  answer(): RecordedAnswer {
    const { model, usage, error } = this;
    const choices = [...this.choices].sort(([a], [b]) => a - b).map(([, pieces]) => pieces.choice());
    return answerOfChoices(choices, { model, usage, error });
  }

  private pushChoice(index: number, choice: JsonObject): void {
    const pieces = this.choices.get(index) ?? new ChoicePieces();
    this.choices.set(index, pieces);
    if (pieces.push(choice)) this.started = true;
  }
}

/** One choice of a stream, as far as it has come. */
class ChoicePieces {
  private content: string | null = null;
  private transcript: string | null = null;
  private refusal: string | null = null;
  private reasoning = '';
  private finishReason: string | null = null;
  private readonly toolCalls = new ToolCallDeltas();
  private started = false;

  /** @returns whether the piece holds text, spoken or not, reasoning or a tool call. */
  push(choice: JsonObject): boolean {
    const delta = this.deltaOf(choice);
    const content = this.afterThoughts(contentTextOf(delta['content'] ?? choice['text']) ?? '') || null;
    const transcript = transcriptOf(delta) || null;
    const refusal = filledTextOf(delta['refusal']);
    const reasoning = reasoningOf(delta);
    if (content !== null) this.content = (this.content ?? '') + content;
    if (transcript !== null) this.transcript = (this.transcript ?? '') + transcript;
    if (refusal !== null) this.refusal = (this.refusal ?? '') + refusal;
    if (reasoning !== null) this.reasoning += reasoning;
    const isCalled = this.toolCalls.add(delta);
    this.finishReason = filledTextOf(choice['finish_reason']) ?? this.finishReason;
    const isSpoken = filledTextOf(objectOf(delta['audio'])['data']) !== null;
    const isMore = isCalled || isSpoken || (content ?? transcript ?? refusal ?? reasoning) !== null;
    this.started ||= isMore;
    return isMore;
  }

  choice(): RecordedChoice {
    return {
      text: this.content ?? this.transcript ?? this.refusal ?? '',
      finishReason: this.finishReason,
      toolCalls: this.toolCalls.toolCalls(),
      ...(this.reasoning !== '' && { reasoning: this.reasoning }),
    };
  }

  /**
   * Some servers send a whole message in a chunk, Perplexity beside each piece, MiniMax at the end: of it counts what has
   * not come.
   */
  private deltaOf({ delta, message }: JsonObject): JsonObject {
    if (typeof delta === 'object' && delta !== null) return withThoughtsApart(objectOf(delta));
    const whole = withThoughtsApart(objectOf(message));
    if (!this.started) return whole;
    return {
      ...(this.content === null && { content: whole['content'] }),
      ...(this.toolCalls.toolCalls().length === 0 && { tool_calls: whole['tool_calls'] }),
    };
  }

  private afterThoughts(text: string): string {
    const ends = this.content === null && this.reasoning !== '' && text.startsWith(THOUGHT_END);
    return ends ? text.slice(THOUGHT_END.length) : text;
  }
}

/** OpenAI chat completions, as OpenAI itself and many other servers speak it. */
export const chatCompletionsEndpoint: Endpoint = {
  name: 'chat.completions',
  framing: 'sse',
  usageOption: 'stream_options',
  readRequest: (body) => readRequest(body, 'messages', messagesOf),
  readAnswer: readChatAnswer,
  readStream: readChatStream,
};

/** The older completions endpoint; its prompt is recorded as sent. Agents of Mistral are asked by messages there. */
export const completionsEndpoint: Endpoint = {
  ...chatCompletionsEndpoint,
  name: 'completions',
  readRequest: (body) =>
    Array.isArray(objectOf(body)['messages'])
      ? chatCompletionsEndpoint.readRequest(body)
      : readRequest(body, 'prompt', (prompt) => prompt ?? null),
};

/** True for a POST whose path ends in `/chat/completions`, whatever a deployment puts before. */
export const callsChatCompletions = (request: RequestHead): boolean =>
  request.method === 'POST' && /\/chat\/completions\/?$/.test(request.path);

function readRequest(body: unknown, member: string, inputOf: (given: unknown) => unknown): RecordedRequest {
  const request = objectOf(body);
  return {
    model: textOf(request['model']),
    input: inputOf(request[member]),
    streaming: request['stream'] === true,
    parameters: without(request, 'model', member),
  };
}

/** Reads a whole answer of chat completions, or of the older completions, whose choices have a `text`. */
export function readChatAnswer(body: unknown): RecordedAnswer {
  const answer = objectOf(body);
  const choices = choicesOf(answer['choices']).map(({ choice }) => choice);
  return answerOfChoices(choices.map(readChoice), {
    model: textOf(answer['model']),
    usage: readUsageOf(answer),
    error: embeddedErrorOf(body) ?? errorOfChoices(choices),
  });
}

/** The error that a choice reports of itself (OpenRouter), else `null`. */
export function errorOfChoices(choices: readonly JsonObject[]): string | null {
  const failed = choices.find(({ error }) => Boolean(error));
  return failed === undefined ? null : embeddedErrorOf({ error: failed['error'] });
}

/** An answer by its choices: the first is the answer's, and where there are several, all are listed. */
export function answerOfChoices(
  choices: RecordedChoice[],
  rest: Pick<RecordedAnswer, 'model' | 'usage' | 'error'>,
): RecordedAnswer {
  return {
    ...(choices[0] ?? { text: null, finishReason: null, toolCalls: [] }),
    ...rest,
    ...(choices.length > 1 && { choices }),
  };
}

/** The choices in the order of their `index`, which is their position where they have none. */
export const choicesOf = (choices: unknown): { index: number; choice: JsonObject }[] =>
  listOf(choices)
    .map((each, position) => ({ index: countOf(objectOf(each)['index']) ?? position, choice: objectOf(each) }))
    .sort((a, b) => a.index - b.index);

/**
 * A spoken answer's text is its transcript, and a refusal is the text where there is no other; tool calls alone have the
 * empty text, a choice with neither has none.
 */
function readChoice(choice: JsonObject): RecordedChoice {
  const message = withThoughtsApart(objectOf(choice['message']));
  const toolCalls = readToolCalls(message);
  const content = contentTextOf(message['content'] ?? choice['text']);
  const reasoning = reasoningOf(message);
  return {
    text:
      content || transcriptOf(message) || textOf(message['refusal']) || (content ?? (toolCalls.length > 0 ? '' : null)),
    finishReason: filledTextOf(choice['finish_reason']),
    toolCalls,
    ...(reasoning !== null && { reasoning }),
  };
}

/** The error body that OpenAI client libraries read. */
export function openAiErrorBody(status: number, message: string): unknown {
  const [type, code] = kindOf(status);
  return { error: { message, type, param: null, code } };
}

function kindOf(status: number): [type: string, code: string | null] {
  if (status === 401) return ['invalid_request_error', 'invalid_api_key'];
  if (status === 429) return ['requests', 'rate_limit_exceeded'];
  if (status >= 500) return ['server_error', null];
  return ['invalid_request_error', null];
}
