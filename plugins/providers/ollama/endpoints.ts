import {
  messagesOf,
  objectOf,
  textOf,
  without,
  withSystemFirst,
  type Endpoint,
  type JsonObject,
  type RequestHead,
} from '@spandrel/plugin-api';
import { readOllamaAnswer } from './answer.js';
import { OllamaStream } from './stream.js';

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
