import { readFileSync } from 'node:fs';
import type {
  Endpoint,
  StreamFrame,
  ChatCall,
  EmbeddingCall,
  HttpRequest,
  Provider,
  RecordedAnswer,
  RecordedRequest,
  RequestHead,
} from '../provider.js';
import type { AnyProviderPlugin } from '../plugin.js';
import type { ConfigFixtures } from './set-up-plugin.js';

/** Reads the recorded requests and answers that lie beside a plugin's tests. */
export interface FixtureFolder {
  /** A file parsed from JSON. */
  json(file: string): unknown;
  /** A file as text: a streamed answer. */
  text(file: string): string;
  /** A recorded call: a request file (JSON), and an answer file that is whole (`.json`) or streamed (any other). */
  call(files: CallFiles, expected: RecordedCallFixture['expected']): RecordedCallFixture;
}

export interface CallFiles {
  path: string;
  headers?: Record<string, string>;
  /** Name of the request's file without `.request.json`. */
  request: string;
  answer: string;
  breaksOff?: boolean;
}

/** @param folder URL of the folder: `new URL('./fixtures/', import.meta.url)`. */
export function fixturesIn(folder: URL): FixtureFolder {
  const text = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
  const json = (file: string): unknown => JSON.parse(text(file));
  return {
    text,
    json,
    call: ({ path, headers, request, answer, breaksOff }, expected) => ({
      name: `${path} (${answer})`,
      request: { path, ...(headers && { headers }), body: json(`${request}.request.json`) },
      answer: answer.endsWith('.json') ? { whole: json(answer) } : { streamed: text(answer) },
      expected,
      ...(breaksOff !== undefined && { breaksOff }),
    }),
  };
}

/** The frames of a streamed answer kept as text: server-sent events (comments left out) or one JSON value a line. */
export function framesOf(text: string, framing: Endpoint['framing']): StreamFrame[] {
  if (framing === 'ndjson') {
    return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : { data: line }));
  }
  return text.split(/\r?\n\r?\n/).flatMap((block) => {
    const fields = block.split(/\r?\n/).map((line) => /^(event|data):[ ]?(.*)$/.exec(line));
    const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? (field[2] ?? '') : []));
    const data = valuesOf('data');
    const event = valuesOf('event').at(-1);
    return data.length === 0 ? [] : { ...(event !== undefined && { event }), data: data.join('\n') };
  });
}

/** What the tests of a provider plugin hand to `describeProviderContract`: the plugin and what it must make of what. */
export interface ProviderContract<Config> {
  plugin: AnyProviderPlugin<Config>;
  configs: ConfigFixtures;
  recognised: readonly { request: RequestHead; as: ReturnType<Provider['recognises']> }[];
  /** Requests that pass without being recorded. */
  unrecorded: readonly RequestHead[];
  calls: readonly RecordedCallFixture[];
  /** Error answers of the real provider with the message they carry. */
  errors: readonly { status: number; body: unknown; message: string }[];
  /** Absent: evaluations cannot call the provider. */
  chat?: ChatFixture;
  /** Present for providers that have embeddings only. */
  embeddings?: EmbeddingFixture;
}

/** One recorded call in the provider's wire format and what its recording must hold. */
export interface RecordedCallFixture {
  name: string;
  request: { path: string; headers?: Record<string, string>; body: unknown };
  /** The parsed body of a whole answer, or the text of a streamed one. */
  answer: { whole: unknown } | { streamed: string };
  expected: { endpoint: string; request: RecordedRequest; answer: RecordedAnswer };
  /** For streams that break off: the end mark never comes. */
  breaksOff?: boolean;
}

export interface ChatFixture {
  baseUrl: string;
  call: ChatCall;
  /** The request for `call` at `baseUrl`; its key is {@link CONTRACT_API_KEY}. */
  request: HttpRequest;
  answer: { body: unknown; expected: RecordedAnswer };
  /** A streamed answer, and the members of the body that ask for one; absent: answers come whole. */
  stream?: { members: object; answer: string; expected: RecordedAnswer };
  /** A call with a tool, and what its body then has beside the members of another; absent: it takes none. */
  tools?: { call: Pick<ChatCall, 'tools' | 'parameters'>; members: object };
  /** Absent: the provider does not list its models. */
  models?: { request: HttpRequest; body: unknown; ids: string[] };
}

export interface EmbeddingFixture {
  baseUrl: string;
  call: EmbeddingCall;
  /** The request for `call` at `baseUrl`; its key is {@link CONTRACT_API_KEY}. */
  request: HttpRequest;
  answer: { body: unknown; vectors: number[][] };
}

/** The key of the connections the suite calls with. */
export const CONTRACT_API_KEY = 'sk-contract-4f1d9c';
