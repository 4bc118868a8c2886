/** A client library that is pointed at the gateway by its base URL. */
export type ModelClient = 'openai' | 'anthropic' | 'ollama';

/** A request that was meant for a model, by its path. */
export interface ModelCall {
  client: ModelClient;
  /** The path under which the gateway takes it. */
  path: string;
  /** What stands before it without being known; empty for `/v1` left out or written twice. */
  prefix: string;
}

/** Ends of paths, so that nothing needs to look back: a path is as long as its sender likes. */
const OLLAMA = /\/api\/(?:chat|generate|embed|embeddings|tags|show|ps|version|pull)$/;
const ANTHROPIC = /\/messages(?:\/count_tokens|\/batches)?$/;
const OPENAI =
  /\/(?:chat\/completions|completions|embeddings|moderations|realtime|(?:images|audio)\/[a-z]+|(?:responses|models)(?:\/[^/]+)?)$/;
const ANY_OF_V1 = /^(?:\/v1)+(\/.*)?$/s;

/**
 * Which client's request a path is, wherever it was sent: model calls that come to the API, or to the gateway with a
 * wrong beginning, are told where they belong.
 * @returns `undefined` for a path that is no model call.
 */
export function modelCallOf(path: string): ModelCall | undefined {
  const trimmed = withoutEnds(path, ['/']);
  const ollama = OLLAMA.exec(trimmed);
  if (ollama) {
    // Ends of a base URL, where a client of Ollama writes neither.
    return { client: 'ollama', path: ollama[0], prefix: withoutEnds(trimmed.slice(0, ollama.index), ['/v1', '/api']) };
  }
  const anthropic = ANTHROPIC.exec(trimmed);
  const known = anthropic ?? OPENAI.exec(trimmed);
  if (known) {
    const prefix = withoutEnds(trimmed.slice(0, known.index), ['/v1']);
    return { client: anthropic ? 'anthropic' : 'openai', path: `/v1${known[0]}`, prefix };
  }
  const other = ANY_OF_V1.exec(trimmed);
  return other ? { client: 'openai', path: `/v1${other[1] ?? ''}`, prefix: '' } : undefined;
}

function withoutEnds(path: string, ends: readonly string[]): string {
  let left = path;
  for (let end; (end = ends.find((candidate) => left.endsWith(candidate)));) left = left.slice(0, -end.length);
  return left;
}

const CLIENTS: Readonly<Record<ModelClient, { name: string; base: string }>> = {
  openai: { name: 'an OpenAI client', base: '/v1' },
  anthropic: { name: 'an Anthropic client', base: '' },
  ollama: { name: 'an Ollama client', base: '' },
};

/** The most of a path that a sentence repeats. */
const PATH_LENGTH_MAX = 200;

/** A path as a sentence repeats it. */
export const shownPath = (path: string): string =>
  path.length > PATH_LENGTH_MAX ? `${path.slice(0, PATH_LENGTH_MAX)}…` : path;

/**
 * Where a model call belongs, as the end of a sentence.
 * @param gatewayUrl without a slash at its end; `null` where only the operator knows it (cloud mode).
 */
export function modelCallAddress({ client, path }: ModelCall, gatewayUrl: string | null): string {
  const { name, base } = CLIENTS[client];
  if (gatewayUrl !== null) {
    return `${gatewayUrl}${shownPath(path)} (the base URL of ${name} is ${gatewayUrl}${base})`;
  }
  const end = base === '' ? 'with no path behind it' : `followed by ${base}`;
  return `${shownPath(path)} of the gateway (the base URL of ${name} is the gateway's address ${end})`;
}
