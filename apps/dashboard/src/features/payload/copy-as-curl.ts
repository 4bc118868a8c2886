import { isObject, listOf, objectOf, type JsonObject } from '@spandrel/contract/browser';
import type { CurlOptions } from './payload-types.js';

/** What a recorded call is repeated from: a span, read with every digit of its numbers. */
export interface RecordedCall {
  kind: unknown;
  input: unknown;
  metadata: unknown;
}

/**
 * The command that sends a recorded call again, through the gateway (docs/spec/dashboard-trace.md#copy-as-curl): the recorded messages and parameters byte for byte as
 * JSON, and variables in place of keys. For a POSIX shell.
 */
export function curlOf(call: RecordedCall, gateway: CurlOptions): string {
  const provider = textOf(objectOf(call.kind)['provider']) ?? 'openai';
  const path = textOf(objectOf(call.metadata)['endpoint']) ?? defaultPath(provider);
  const body = bodyOf(path, call);
  const headers = headersOf(provider, path, gateway);
  const noBuffer = body['stream'] === true ? ' -N' : '';
  const lines = [
    `curl${noBuffer} ${quoted(gateway.url.replace(/(?<!\/)\/+$/, '') + path)}`,
    ...headers.map((header) => `-H ${header}`),
    dataOf(JSON.stringify(body)),
  ];
  return lines.join(' \\\n  ');
}

/** Linux takes no argument of more than 128 KiB; what comes from standard input has no limit. */
const ARGUMENT_MAX = 100_000;

function dataOf(json: string): string {
  if (json.length <= ARGUMENT_MAX) return `-d ${quoted(json)}`;
  // JSON has no line break of its own, so that no line of it can be the mark.
  return `--data-binary @- <<'END_OF_BODY'\n${json}\nEND_OF_BODY`;
}

function headersOf(provider: string, path: string, { isCloud }: CurlOptions): string[] {
  const headers = [quoted('Content-Type: application/json')];
  if (provider === 'anthropic') {
    headers.push('"x-api-key: $ANTHROPIC_API_KEY"', quoted('anthropic-version: 2023-06-01'));
  } else if (provider !== 'ollama') {
    headers.push(`"Authorization: Bearer $${keyVariable(provider)}"`);
  }
  if (!isDetected(provider, path)) headers.push('"X-Forward-URL: $PROVIDER_BASE_URL"');
  if (isCloud) headers.push('"X-Spandrel-Key: $SPANDREL_KEY"');
  return headers;
}

/** `OPENAI_API_KEY`, `MISTRAL_API_KEY`; a name that makes no variable becomes `PROVIDER_API_KEY`. */
function keyVariable(provider: string): string {
  const name = provider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return /^[A-Z][A-Z0-9_]{0,40}$/.test(name) && name !== 'CUSTOM' ? `${name}_API_KEY` : 'PROVIDER_API_KEY';
}

/** Whether the gateway finds the provider by the path alone. */
function isDetected(provider: string, path: string): boolean {
  if (provider === 'anthropic') return /^\/v1\/messages\/?$/.test(path);
  if (provider === 'ollama') return path.startsWith('/api/');
  return provider === 'openai' && path.startsWith('/v1/') && !path.startsWith('/v1/messages');
}

function defaultPath(provider: string): string {
  if (provider === 'anthropic') return '/v1/messages';
  return provider === 'ollama' ? '/api/chat' : '/v1/chat/completions';
}

/** The body of the request, put together again from what was recorded of it. */
function bodyOf(path: string, { kind, input, metadata }: RecordedCall): JsonObject {
  const model = objectOf(kind)['model'];
  const parameters = objectOf(objectOf(metadata)['request']);
  const end = path.replace(/(?<!\/)\/+$/, '');
  if (end.endsWith('/messages')) return { model, ...withSystemApart(input), ...parameters };
  if (end.endsWith('/responses')) return { model, input: restoreItems(input), ...parameters };
  if (end.endsWith('/api/generate')) return { model, ...promptOf(input), ...parameters };
  if (end.endsWith('/chat/completions') || end.endsWith('/api/chat')) {
    return { model, messages: conversationOf(input), ...parameters };
  }
  if (end.endsWith('/completions')) return { model, prompt: input, ...parameters };
  return { model, input, ...parameters };
}

function conversationOf(input: unknown): unknown {
  if (Array.isArray(input)) return input;
  return isObject(input) && Array.isArray(input['messages']) ? input['messages'] : [{ role: 'user', content: input }];
}

/** Anthropic has the system prompt beside the messages; the recording has it before them. */
function withSystemApart(input: unknown): JsonObject {
  const messages = listOf(conversationOf(input));
  const first = objectOf(messages[0]);
  if (first['role'] !== 'system') return { messages };
  return { system: first['content'], messages: messages.slice(1) };
}

/** Ollama's prompt, recorded as the user's message after the system prompt. */
function promptOf(input: unknown): JsonObject {
  if (!Array.isArray(input)) return { prompt: input };
  const system = objectOf(input.find((message) => objectOf(message)['role'] === 'system'));
  const user = objectOf(input.find((message) => objectOf(message)['role'] === 'user'));
  return {
    ...('content' in system && { system: system['content'] }),
    prompt: user['content'] ?? '',
    ...('images' in user && { images: user['images'] }),
  };
}

/** Items of the Responses API as they were sent: the recording gives those that are no messages a role and a content. */
function restoreItems(input: unknown): unknown {
  if (!Array.isArray(input)) return input;
  return input.map((item: unknown) => {
    if (!isObject(item) || typeof item['type'] !== 'string') return item;
    const { role: _role, content, ...rest } = item;
    if (item['type'].endsWith('_output')) return { ...rest, output: content };
    return content === null ? rest : { ...rest, content };
  });
}

/** A word of a POSIX shell in which nothing means anything. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
