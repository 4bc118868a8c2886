import {
  messagesOf,
  objectOf,
  textOf,
  without,
  withSystemFirst,
  type Endpoint,
  type JsonObject,
  type RequestHead,
  errorOfFrame,
  laterUsage,
  readExactJson,
  readJson,
  UNKNOWN_USAGE,
  type RecordedAnswer,
  type StreamFrame,
  type StreamReader,
  type ToolCall,
  contentTextOf,
  countOf,
  embeddedErrorOf,
  filledTextOf,
  listOf,
  usageOf,
} from '@spandrel/plugin-api';

const PATHS =
  /^\/api\/(chat|generate|embed|embeddings|tags|show|ps|version|pull|push|create|copy|delete|blobs|me|signout|web_search|web_fetch)(\/|$)/;

/** True for the paths of Ollama's own API. */
export const isOllamaPath = (path: string): boolean => PATHS.test(path);

/** The recorded endpoint a request calls, whatever a reverse proxy puts before `/api`. */
export function endpointOf({ method, path }: RequestHead): Endpoint | undefined {
  const name = method === 'POST' ? /\/api\/(chat|generate|embed|embeddings)\/?$/.exec(path)?.[1] : undefined;
  return name === undefined ? undefined : ENDPOINTS[name];
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  chat: endpoint('chat', ['messages'], (request) => messagesOf(request['messages'])),
  generate: endpoint('generate', ['prompt', 'system', 'images'], promptMessages),
  embed: endpoint('embed', ['input'], (request) => request['input'] ?? null),
  embeddings: endpoint('embeddings', ['prompt'], (request) => request['prompt'] ?? null),
};

/** @param inputMembers the members that make the input, left out of the parameters. */
function endpoint(name: string, inputMembers: string[], inputOf: (request: JsonObject) => unknown): Endpoint {
  const streams = name === 'chat' || name === 'generate';
  return {
    name,
    framing: 'ndjson',
    readRequest(body) {
      const request = objectOf(body);
      return {
        model: textOf(request['model']) ?? textOf(request['name']),
        input: inputOf(request),
        streaming: streams && request['stream'] !== false,
        parameters: without(request, 'model', ...inputMembers),
      };
    },
    readAnswer: readOllamaAnswer,
    readStream: () => new OllamaStream(),
  };
}

/** The prompt of `/api/generate` as the user's message, with its images, after the system prompt. */
function promptMessages(request: JsonObject): unknown {
  const { prompt, images } = request;
  const asked =
    prompt === undefined && images === undefined
      ? []
      : [{ role: 'user', content: prompt ?? '', ...(images !== undefined && { images }) }];
  return withSystemFirst(request['system'], asked);
}

/** Reads a stream of chat or generate: every line holds a piece of text, the last one (`done`) the counts. */
export class OllamaStream implements StreamReader {
  started = false;
  ended = false;
  private text: string | null = null;
  private reasoning = '';
  private readonly toolCalls: ToolCall[] = [];
  private last: Omit<RecordedAnswer, 'text' | 'toolCalls' | 'reasoning'> = {
    model: null,
    finishReason: null,
    usage: UNKNOWN_USAGE,
    error: null,
  };

  push(frame: StreamFrame): void {
    const { data } = frame;
    // Arguments of tool calls come as values, which are recorded.
    const parsed = data.includes('"tool_calls"') ? readExactJson(data) : readJson(data);
    const read = readOllamaAnswer(parsed);
    if (read.text !== null) this.text = (this.text ?? '') + read.text;
    this.reasoning += read.reasoning ?? '';
    this.toolCalls.push(...read.toolCalls);
    this.started ||= Boolean(read.text) || read.reasoning !== undefined || read.toolCalls.length > 0;
    this.ended ||= objectOf(parsed)['done'] === true;
    this.last = {
      model: read.model ?? this.last.model,
      finishReason: read.finishReason ?? this.last.finishReason,
      usage: laterUsage(this.last.usage, read.usage),
      error: errorOfFrame(frame, parsed) ?? this.last.error,
    };
  }

  answer(): RecordedAnswer {
    const { text, reasoning } = this;
    return { ...this.last, text, toolCalls: [...this.toolCalls], ...(reasoning !== '' && { reasoning }) };
  }
}

/** Reads an answer of chat (`message`), generate (`response`) or embed (no text); a stream's lines have the same form. */
export function readOllamaAnswer(body: unknown): RecordedAnswer {
  const answer = objectOf(body);
  const message = objectOf(answer['message']);
  const toolCalls = listOf(message['tool_calls']).map(readToolCall);
  const reasoning = filledTextOf(message['thinking']) ?? filledTextOf(answer['thinking']);
  return {
    model: textOf(answer['model']),
    text: contentTextOf(message['content']) ?? textOf(answer['response']) ?? (toolCalls.length > 0 ? '' : null),
    finishReason: filledTextOf(answer['done_reason']),
    toolCalls,
    ...(reasoning !== null && { reasoning }),
    usage: usageOf({ inputTokens: countOf(answer['prompt_eval_count']), outputTokens: countOf(answer['eval_count']) }),
    error: embeddedErrorOf(body),
  };
}

function readToolCall(value: unknown): ToolCall {
  const { id, function: called } = objectOf(value);
  return {
    id: textOf(id),
    name: textOf(objectOf(called)['name']) ?? '',
    arguments: objectOf(called)['arguments'] ?? null,
  };
}
