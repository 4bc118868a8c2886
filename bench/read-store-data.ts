import { random } from '../test/support/random.ts';
import { proseOf } from './prose.ts';

const DAY_MS = 86_400_000;
export const DAYS = 30;
export const SPANS_PER_TRACE = 8;
/** Every so many spans one has the model that few have. */
const RARE_EVERY = 50_000;

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'claude-haiku', 'gemini-pro', 'gemini-flash', 'llama-70b'];
const PROVIDERS = ['openai', 'openai', 'anthropic', 'anthropic', 'google', 'google', 'meta'];
const KINDS = ['llm_call', 'llm_call', 'llm_call', 'tool_call', 'retrieval'];
const TAGS = ['prod', 'staging', 'beta', 'canary'];

/** A span as it is stored, flat: what rows of a store and bodies of an ingest are made of. Times are milliseconds. */
export interface MadeSpan {
  id: string;
  traceId: string;
  parentId: string | null;
  name: string;
  kind: string;
  model: string | null;
  provider: string | null;
  status: 'completed' | 'failed';
  inputTokens: number;
  outputTokens: number;
  /** Dollars. */
  cost: number;
  startedAt: number;
  durationMs: number;
  firstTokenMs: number | null;
  /** Texts of 1.2 KB together, which compress as prose does. */
  input: string;
  output: string;
}

export interface MadeTrace {
  id: string;
  name: string;
  userId: string;
  sessionId: string;
  tags: readonly string[];
  /** Has the keys `environment`, which is indexed, and `team`, which is not. */
  metadata: Readonly<Record<string, string>>;
  startedAt: number;
}

/** Prose of which texts are cut: long enough that a block of a store has hardly any of it twice. */
const POOL_LENGTH = 32 * 1024 * 1024;
const INPUT_LENGTH = 900;
const OUTPUT_LENGTH = 300;
let pool: string | undefined;

function textOf(at: number, length: number): string {
  pool ??= proseOf(1, POOL_LENGTH);
  return pool.slice(at, at + length);
}

/**
 * Spans spread evenly over thirty days, each made of its number alone: the same for every store, in any order, and some
 * hundred thousand a second.
 */
export class SpanMaker {
  private readonly count: number;
  private readonly to: number;

  /** @param count spans in all. @param to when the last of them starts, in milliseconds since the epoch. */
  constructor(count: number, to: number) {
    this.count = count;
    this.to = to;
  }

  span(n: number): MadeSpan {
    const below = random(n);
    const rare = n % RARE_EVERY === RARE_EVERY - 1;
    const kind = n % SPANS_PER_TRACE === 0 ? 'llm_call' : KINDS[below(KINDS.length)]!;
    const isCall = kind === 'llm_call';
    const place = Math.min(below(MODELS.length), below(MODELS.length));
    const [inputTokens, outputTokens] = isCall ? [50 + below(4_000), 10 + below(600)] : [0, 0];
    const durationMs = 20 + below(below(10) === 0 ? 60_000 : 4_000);
    const root = n - (n % SPANS_PER_TRACE);
    return {
      id: spanIdOf(n),
      traceId: traceIdOf(n),
      parentId: n === root ? null : spanIdOf(root),
      name: `step ${Math.min(below(40), below(40))}`,
      kind,
      model: isCall ? (rare ? 'rare-model' : MODELS[place]!) : null,
      provider: isCall ? PROVIDERS[place]! : null,
      status: below(1_000) === 0 ? 'failed' : 'completed',
      ...{ inputTokens, outputTokens, cost: inputTokens * 2.5e-6 + outputTokens * 1e-5 },
      startedAt: this.startOf(n),
      durationMs,
      firstTokenMs: isCall ? Math.floor(durationMs / (2 + below(8))) : null,
      input: textOf(below(POOL_LENGTH - INPUT_LENGTH), INPUT_LENGTH),
      output: textOf(below(POOL_LENGTH - OUTPUT_LENGTH), OUTPUT_LENGTH),
    };
  }

  /** The trace of a span. @param n the span's number. */
  trace(n: number): MadeTrace {
    const number = Math.floor(n / SPANS_PER_TRACE);
    const below = random(-1 - number);
    const user = Math.min(below(20_000), below(20_000));
    return {
      id: traceIdOf(n),
      name: `conversation ${below(12)}`,
      userId: `user-${user}`,
      sessionId: `session-${user}-${below(10)}`,
      tags: TAGS.filter((_, at) => below(at + 2) === 0),
      metadata: { environment: below(10) === 0 ? `env-${below(500)}` : 'production', team: `team-${below(30)}` },
      startedAt: this.startOf(n - (n % SPANS_PER_TRACE)),
    };
  }

  /** The body of an ingest of some spans, with the traces that begin among them. */
  ingest(first: number, end: number): { traces: object[]; spans: object[] } {
    const [traces, spans]: [object[], object[]] = [[], []];
    for (let n = first; n < end; n++) {
      if (n % SPANS_PER_TRACE === 0) traces.push(traceBody(this.trace(n)));
      spans.push(spanBody(this.span(n)));
    }
    return { traces, spans };
  }

  private startOf(n: number): number {
    return this.to - DAYS * DAY_MS + Math.floor((n / this.count) * DAYS * DAY_MS);
  }
}

const spanIdOf = (n: number): string => `01J${String(n).padStart(23, '0')}`;
const traceIdOf = (n: number): string => `01K${String(Math.floor(n / SPANS_PER_TRACE)).padStart(23, '0')}`;
const iso = (at: number): string => new Date(at).toISOString();

const traceBody = (trace: MadeTrace): object => ({
  ...{ id: trace.id, name: trace.name, user_id: trace.userId, session_id: trace.sessionId, tags: trace.tags },
  ...{ metadata: trace.metadata, started_at: iso(trace.startedAt) },
});

const spanBody = (span: MadeSpan): object => ({
  ...{
    id: span.id,
    trace_id: span.traceId,
    name: span.name,
    ...(span.parentId !== null && { parent_id: span.parentId }),
  },
  kind: {
    type: span.kind,
    ...(span.model !== null && { model: span.model, provider: span.provider, cost: span.cost }),
    ...(span.model !== null && { input_tokens: span.inputTokens, output_tokens: span.outputTokens }),
  },
  input: [{ role: 'user', content: span.input }],
  output: { text: span.output, finish_reason: 'stop' },
  ...(span.firstTokenMs !== null && { metadata: { time_to_first_token_ms: span.firstTokenMs } }),
  status: span.status === 'failed' ? { failed: { error: 'timeout' } } : 'completed',
  ...{ started_at: iso(span.startedAt), ended_at: iso(span.startedAt + span.durationMs) },
});
