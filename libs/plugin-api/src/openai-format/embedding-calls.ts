import type { EmbeddingCalls, Endpoint, RecordedAnswer } from '../provider.js';
import { joinUrl } from '../wire/base-url.js';
import { objectOf, countOf, textOf, without } from '../wire/lenient-json.js';
import { bearer } from './chat-calls.js';
import type { Usage } from '../chat.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { readUsageOf } from './usage.js';

/**
 * Embeddings of a server that speaks OpenAI's `/embeddings`.
 * @param defaultBaseUrl base for connections without one of their own, with `/v1`; `null`: every connection must name one.
 * @param headers the headers that carry a key.
 */
export const openAiEmbeddingCalls = (defaultBaseUrl: string | null, headers = bearer): EmbeddingCalls => ({
  buildRequest(target, { model, texts }) {
    const base = target.baseUrl ?? defaultBaseUrl;
    if (base === null) throw new Error('the connection names no base_url');
    return {
      method: 'POST',
      url: joinUrl(base, '/embeddings'),
      headers: { 'content-type': 'application/json', ...headers(target.apiKey) },
      body: { model, input: texts },
    };
  },
  readVectors(body) {
    const { data } = objectOf(body);
    if (!Array.isArray(data)) return null;
    const items = (data as unknown[]).map(objectOf);
    const ordered = items.every(({ index }) => typeof index === 'number')
      ? items.toSorted((a, b) => (a['index'] as number) - (b['index'] as number))
      : items;
    return vectorsOf(ordered.map(({ embedding }) => embedding));
  },
  readUsage: (body) => embeddingsEndpoint.readAnswer(body).usage,
});

/** The values as vectors, `null` when one is none. */
export function vectorsOf(values: unknown[]): number[][] | null {
  const isVector = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length > 0 && value.every((item) => Number.isFinite(item));
  return values.every(isVector) ? values : null;
}

/** Embeddings: the input is recorded as sent, the vectors are not; the answer never streams. */
export const embeddingsEndpoint: Endpoint = {
  name: 'embeddings',
  framing: 'sse',
  readRequest(body) {
    const request = objectOf(body);
    return {
      model: textOf(request['model']),
      input: request['input'] ?? null,
      streaming: false,
      parameters: without(request, 'model', 'input'),
    };
  },
  readAnswer,
  readStream: () => ({ started: false, ended: false, push() {}, answer: () => readAnswer(undefined) }),
};

function readAnswer(body: unknown): RecordedAnswer {
  const answer = objectOf(body);
  return {
    model: textOf(answer['model']),
    text: null,
    finishReason: null,
    toolCalls: [],
    usage: readUsage(answer),
    error: embeddedErrorOf(body),
  };
}

/** All tokens of embeddings are input; some servers report their total alone (Voyage). */
function readUsage(answer: Readonly<Record<string, unknown>>): Usage {
  const usage = objectOf(answer['usage']);
  const total = countOf(usage['total_tokens']);
  const read = readUsageOf({ ...answer, usage: answer['usage'] && without(usage, 'total_tokens') });
  return read.inputTokens === null && total !== null ? { ...read, inputTokens: total } : read;
}
