import type { AnyProviderPlugin } from '../plugin.js';
import type {
  ChatCall,
  EmbeddingCall,
  HttpRequest,
  Provider,
  RecordedAnswer,
  RecordedRequest,
  RequestHead,
} from '../provider.js';
import type { ConfigFixtures } from './set-up-plugin.js';

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
