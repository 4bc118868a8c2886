import { isDeepStrictEqual } from 'node:util';
import type { SpanResource } from '@spandrel/contract';
import { holdsMasked } from '@spandrel/masking/engine';
import {
  choiceMembers,
  listOf,
  objectOf,
  textOf,
  type Endpoint,
  type JsonObject,
  type Provider,
  type ToolCall,
} from '@spandrel/plugin-api';
import { readStream } from '../recording/read-answer.js';
import { eventBytes } from './cassette-answer.js';
import type { CassetteAnswer, CassetteEntry } from './entry.js';
import { FORMATS, type Said } from './span-formats.js';

/** A call that cannot be put together of its span; the message says why. */
export class LeftOut extends Error {}

/**
 * Puts a call together of its span, so that the gateway would read the same input and output of it.
 * @param providers those of this process, by whose plugins requests and answers are read.
 * @param labels what masking puts in the place of values.
 * @throws LeftOut where that cannot be.
 */
export function reconstruct(
  span: SpanResource,
  providers: readonly { name: string; extension: Provider }[],
  labels: ReadonlySet<string>,
): CassetteEntry {
  const { kind, input, output, metadata, status, error } = span;
  const { endpoint: path, status_code: statusCode, request: asked } = metadata as JsonObject;
  if (typeof path !== 'string' || typeof asked !== 'object') throw new LeftOut('not recorded by a gateway');
  if (status === 'running') throw new LeftOut('not finished');
  if (metadata['truncated'] === true) throw new LeftOut('truncated');
  if (input === null) throw new LeftOut('recorded without what was said');
  if (holdsMasked(JSON.stringify([input, output, asked, error]), labels)) throw new LeftOut('masked');
  const parameters = objectOf(asked);
  if (parameters['background'] === true) throw new LeftOut('answered in the background');
  const own = providers.filter(({ name }) => name === kind['provider']);
  const [found] = [...own, ...providers].flatMap(({ extension }) => {
    const endpoint = extension.endpoint({ method: 'POST', path, headers: {} });
    return endpoint ? [{ endpoint, provider: extension }] : [];
  });
  const format = FORMATS[found?.endpoint.name ?? ''];
  if (!found || !format) throw new LeftOut('an endpoint whose answers are not recorded');
  const body = { model: kind['model'], ...format.request(input), ...parameters };
  const read = found.endpoint.readRequest(body);
  if (!isDeepStrictEqual([read.input, read.parameters], [input, parameters])) {
    throw new LeftOut('the request cannot be put together');
  }
  const counted = ['input_tokens', 'output_tokens'].filter((name) => typeof kind[name] === 'number');
  return {
    reconstructed: true,
    request: { method: 'POST', provider: String(kind['provider']), path, body },
    answer:
      error === null
        ? answerOf(span, found.endpoint, parameters, read.streaming)
        : failureOf(found.provider, statusCode, error),
    ...(counted.length > 0 && { usage: Object.fromEntries(counted.map((name) => [name, Number(kind[name])])) }),
  };
}

const JSON_HEADERS = { 'content-type': 'application/json' };

function failureOf(provider: Provider, status: unknown, error: string): CassetteAnswer {
  const said = `HTTP ${String(status)}: `;
  if (typeof status !== 'number' || !error.startsWith(said)) throw new LeftOut('failed without a status');
  return { status, headers: JSON_HEADERS, body: provider.errorBody(status, error.slice(said.length)) };
}

function answerOf(span: SpanResource, endpoint: Endpoint, asked: JsonObject, isStream: boolean): CassetteAnswer {
  const { kind, metadata } = span;
  const { choices: given, ...first } = objectOf(span.output);
  const choices = (given === undefined ? [first] : listOf(given)) as unknown as [Said, ...Said[]];
  if (kind['output_audio_tokens'] || kind['output_image_tokens']) throw new LeftOut('an answer of sound or images');
  const count = (name: string): number => Number(kind[name] ?? 0);
  const facts = {
    ...choices[0],
    id: span.id.toLowerCase(),
    model: textOf(metadata['response_model']) ?? String(kind['model']),
    created: Math.floor(Date.parse(span.started_at) / 1_000),
    choices,
    tokens: {
      ...{ input: count('input_tokens'), output: count('output_tokens') },
      ...{ cached: count('cached_input_tokens'), written: count('cache_write_tokens') },
    },
    asked,
  };
  const functions = listOf(asked['tools'])
    .map(objectOf)
    .flatMap(({ type, name, function: called }) =>
      type === 'custom' && endpoint.name === 'responses' ? [] : [objectOf(called)['name'] ?? name],
    );
  // Anthropic calls its own tools by ids of their own.
  const isFunction = ({ id, name, server }: ToolCall): boolean =>
    server === undefined && functions.includes(name) && !id?.startsWith('srvtoolu_');
  if (!choices.every(({ tool_calls: calls = [] }) => calls.every(isFunction))) {
    throw new LeftOut('calls of tools that the request does not have');
  }
  const { framing } = endpoint;
  const format = FORMATS[endpoint.name]!;
  const type = framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson';
  const answer: CassetteAnswer = isStream
    ? { status: 200, headers: { 'content-type': type }, framing, events: format.events(facts) }
    : { status: 200, headers: JSON_HEADERS, body: format.answer(facts) };
  const pieces = eventBytes(answer).map((data) => ({ data, at: 0 }));
  const read = isStream
    ? readStream(endpoint, framing, { pieces, tail: [], gap: 'none', bytes: 0 }).reader.answer()
    : endpoint.readAnswer(answer.body);
  const again = (read.choices ?? [read]).map(choiceMembers);
  if (!isDeepStrictEqual(again, choices)) throw new LeftOut('the answer cannot be put together');
  return answer;
}
