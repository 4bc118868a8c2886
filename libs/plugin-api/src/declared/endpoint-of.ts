import type { Endpoint, RecordedRequest, RecordedAnswer, StreamFrame, StreamReader } from '../provider.js';
import { embeddedErrorOf, errorOfFrame } from '../wire/error-message.js';
import { filledTextOf, objectOf, amountOf, countOf, listOf, textOf, readExactJson } from '../wire/lenient-json.js';
import { messagesOf, withSystemFirst } from '../wire/messages.js';
import { viewOf, type DeclaredEndpoint, type DeclaredRequest, type DeclaredAnswer } from './provider-declaration.js';
import { UNKNOWN_USAGE, USAGE_COUNTS, usageOf, type ToolCall, type Usage, laterUsage } from '../chat.js';
import { OPENAI_END_MARK } from '../openai-format/chat-endpoint.js';

/** The endpoint that a declaration describes; what its readers return is taken leniently. */
export function endpointOf(path: string, declared: DeclaredEndpoint): Endpoint {
  const streams = declared.readChunk !== undefined;
  return {
    name: declared.name ?? path.slice(1),
    framing: declared.framing ?? 'sse',
    readRequest(body) {
      const asked = streams && viewOf(body)['stream'] === (true as unknown);
      return requestOf(declared.readRequest(viewOf(body)), asked);
    },
    readAnswer: (body) => answerOf(declared.readAnswer(viewOf(body)), () => embeddedErrorOf(body)),
    readStream: () => new ChunkStream(declared),
  };
}

function requestOf({ model, input, streaming, parameters }: DeclaredRequest, asked: boolean): RecordedRequest {
  return {
    model: filledTextOf(model),
    input: typeof input === 'string' ? withSystemFirst(null, input) : messagesOf(input),
    streaming: typeof streaming === 'boolean' ? streaming : asked,
    parameters: { ...objectOf(parameters) },
  };
}

export const NOTHING_ANSWERED: RecordedAnswer = Object.freeze({
  model: null,
  text: null,
  finishReason: null,
  toolCalls: [],
  usage: UNKNOWN_USAGE,
  error: null,
});

/**
 * What a reader returned of an answer, with everything that is not of its kind left out.
 * @param findError looks for an error where all providers put them; it is asked where the reader has read nothing.
 */
function answerOf(read: DeclaredAnswer, findError: () => string | null): RecordedAnswer {
  const toolCalls = toolCallsOf(read.toolCalls);
  const reasoning = filledTextOf(read.reasoning);
  const text = textOf(read.text) ?? (toolCalls.length > 0 ? '' : null);
  return {
    model: filledTextOf(read.model),
    text,
    finishReason: filledTextOf(read.finishReason),
    toolCalls,
    ...(reasoning !== null && { reasoning }),
    usage: readUsage(read.usage ?? {}),
    error: filledTextOf(read.error) ?? (text === null && reasoning === null ? findError() : null),
  };
}

const toolCallsOf = (calls: unknown): ToolCall[] =>
  listOf(calls)
    .map(objectOf)
    .flatMap(({ id, name, arguments: given }) =>
      filledTextOf(name) === null ? [] : [{ id: filledTextOf(id), name: name as string, arguments: given ?? null }],
    );

function readUsage(usage: NonNullable<DeclaredAnswer['usage']>): Usage {
  const counts = Object.keys(USAGE_COUNTS).map((name) => [name, countOf(usage[name as keyof Usage])]);
  return usageOf({
    ...(Object.fromEntries(counts) as Partial<Usage>),
    serviceTier: filledTextOf(usage.serviceTier),
    cost: amountOf(usage.cost),
  });
}

/** Puts together what a declared endpoint reads of the frames of a stream. `[DONE]` ends one, no matter who sends it. */
class ChunkStream implements StreamReader {
  started = false;
  ended = false;
  private read: RecordedAnswer = NOTHING_ANSWERED;
  private readonly toolCalls: ToolCall[] = [];

  constructor(private readonly endpoint: DeclaredEndpoint) {}

  push(frame: StreamFrame): void {
    const { event, data } = frame;
    this.ended ||= data.trim() === OPENAI_END_MARK;
    const parsed = readExactJson(data);
    const read = this.endpoint.readChunk?.(viewOf(parsed), event);
    if (read === undefined) return;
    const chunk = answerOf(read, () => errorOfFrame(frame, parsed));
    this.ended ||= read.ended === true;
    this.started ||= Boolean(chunk.text) || chunk.reasoning !== undefined || chunk.toolCalls.length > 0;
    const reasoning = (this.read.reasoning ?? '') + (chunk.reasoning ?? '');
    this.toolCalls.push(...chunk.toolCalls);
    this.read = {
      model: chunk.model ?? this.read.model,
      text: chunk.text === null ? this.read.text : (this.read.text ?? '') + chunk.text,
      finishReason: chunk.finishReason ?? this.read.finishReason,
      toolCalls: this.toolCalls,
      ...(reasoning !== '' && { reasoning }),
      usage: laterUsage(this.read.usage, chunk.usage),
      error: chunk.error ?? this.read.error,
    };
  }

  answer(): RecordedAnswer {
    return { ...this.read, toolCalls: [...this.read.toolCalls] };
  }
}
