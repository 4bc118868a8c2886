import { KEY_LENGTH_MAX, plainText } from '../recording/plain-text.js';

/** A call of a model. Tokens count where the provider says them; the cost follows from them when it is left out. */
export interface LlmCall {
  type: 'llm_call';
  /** The provider's name of it. */
  model: string;
  provider?: string | null | undefined;
  /** Cached tokens are counted too; `cached_input_tokens` says how many they are. */
  input_tokens?: number | null | undefined;
  output_tokens?: number | null | undefined;
  cached_input_tokens?: number | null | undefined;
  reasoning_tokens?: number | null | undefined;
  /** Dollars. */
  cost?: number | null | undefined;
  [member: string]: unknown;
}

/** Any other kind of work; further members are kept. */
export interface OtherKind {
  type: 'tool_call' | 'retrieval' | 'embedding' | 'custom' | 'fs_read' | 'fs_write' | (string & {});
  [member: string]: unknown;
}

/** What a span is. Any `type` is kept whole; `llm_call` needs a `model`. */
export type SpanKind = LlmCall | OtherKind;

const COUNTS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'reasoning_tokens'] as const;

/**
 * @returns why the server would refuse the kind, and the span with it; `undefined` when it takes it.
 * @throws what a member throws that is read.
 */
export function faultOfKind(kind: unknown): string | undefined {
  if (typeof kind !== 'object' || kind === null || Array.isArray(kind)) return 'it is not an object';
  const { type, model, provider, cost } = kind as Record<string, unknown>;
  if (!isKey(type) || type === '') return 'its type is not a text';
  if (type !== 'llm_call') {
    if (typeof model === 'string' && !isKey(model)) return 'its model is too long';
    return typeof provider === 'string' && !isKey(provider) ? 'its provider is too long' : undefined;
  }
  if (!isKey(model)) return 'its model is not a text';
  if (provider != null && !isKey(provider)) return 'its provider is not a text';
  if (cost != null && !(typeof cost === 'number' && cost >= 0 && cost < Infinity)) return 'its cost is not an amount';
  const wrong = COUNTS.find((name) => {
    const count = (kind as Record<string, unknown>)[name];
    return count != null && !(Number.isSafeInteger(count) && (count as number) >= 0);
  });
  return wrong && `its ${wrong} is not a count`;
}

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && plainText(value, KEY_LENGTH_MAX) === value;
