import type { IngestResult } from '@spandrel/contract';
import { random } from '../test/support/random.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
/** Spans of one request, and requests on the way. */
const REQUEST_SPANS = 2_000;
const REQUESTS_AT_ONCE = 2;
const SPANS_PER_TRACE = 8;

/** Spans of the one trace that is huge. */
export const HUGE_TRACE = { id: 'huge', spans: 20_000 };

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'claude-haiku', 'gemini-pro', 'gemini-flash', 'llama-70b'];
const RARE_MODELS = ['o3', 'mistral', 'qwen', 'phi', 'rare-model'];
const PROVIDERS = ['openai', 'anthropic', 'google', 'rare-provider'];
const KINDS = ['llm_call', 'tool_call', 'chain', 'retrieval'];
const WORDS = 'the agent answers a customer about an order that was late and offers to send it again at no cost'.split(
  ' ',
);

/** Every so many spans one has the values that few have. */
const RARE_EVERY = 50_000;

/**
 * Sends finished spans spread evenly over the last 30 days to a server, which stores them as it stores everything: traces of
 * eight, most of them LLM calls, few names, models and providers that are common and some that are rare, every thousandth
 * failed. No more than two requests are held in memory.
 * @returns when the first and the last span started, in milliseconds since the epoch.
 */
export async function fillSpans(url: string, count: number): Promise<{ from: number; to: number }> {
  const to = Math.floor(Date.now() / 1_000) * 1_000;
  const from = to - DAYS * DAY_MS;
  const maker = new Maker(from, count);
  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < count) {
      const first = next;
      next = Math.min(count, first + REQUEST_SPANS);
      const batch = maker.batch(first, next);
      const response = await fetch(`${url}/api/ingest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(batch),
      });
      const { accepted, rejected } = (await response.json()) as IngestResult;
      if (accepted.spans !== batch.spans.length) throw new Error(`not ingested: ${JSON.stringify(rejected[0])}`);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, sender));
  return { from, to };
}

/** Makes spans in order, with their traces. */
class Maker {
  private readonly from: number;
  private readonly count: number;
  private readonly below = random(7);

  constructor(from: number, count: number) {
    this.from = from;
    this.count = count;
  }

  /** The spans of some numbers, and the traces that begin with one of them. */
  batch(first: number, end: number): { traces: object[]; spans: object[] } {
    const traces: object[] = [];
    const spans: object[] = [];
    for (let n = first; n < end; n++) {
      const startedAt = this.from + Math.floor((n / this.count) * DAYS * DAY_MS);
      if (this.isHuge(n) ? n === this.firstHuge : n % SPANS_PER_TRACE === 0) traces.push(this.trace(n, startedAt));
      spans.push(this.span(n, startedAt));
    }
    return { traces, spans };
  }

  private get firstHuge(): number {
    return this.count - 2 * HUGE_TRACE.spans;
  }

  private isHuge(n: number): boolean {
    return n >= this.firstHuge && n < this.firstHuge + HUGE_TRACE.spans;
  }

  private traceId(n: number): string {
    return this.isHuge(n) ? HUGE_TRACE.id : `trace-${Math.floor(n / SPANS_PER_TRACE)}`;
  }

  private span(n: number, startedAt: number): object {
    const huge = this.isHuge(n);
    const inTrace = n % SPANS_PER_TRACE;
    const rare = n % RARE_EVERY === RARE_EVERY - 1;
    const type = rare ? 'rare-kind' : KINDS[Math.min(Math.floor(this.skewed(8) / 2), 3)]!;
    const model = rare
      ? RARE_MODELS[RARE_MODELS.length - 1 - (Math.floor(n / RARE_EVERY) % 2)]!
      : MODELS[this.skewed(MODELS.length)]!;
    const provider = rare ? PROVIDERS[3]! : PROVIDERS[this.skewed(3)]!;
    const duration = rare ? 3_600_000 + n : 20 + this.below(this.below(10) === 0 ? 60_000 : 4_000);
    const tokens = rare ? 1_000_000 + n : 50 + this.below(4_000);
    const failed = this.below(1_000) === 0;
    const cost = rare ? 100 + n : tokens * 2.5e-6;
    const call = { model, provider, input_tokens: tokens - 20, output_tokens: 20, cost };
    const parent = huge ? this.firstHuge : n - inTrace;
    return {
      id: spanId(n),
      trace_id: this.traceId(n),
      ...(n !== parent && { parent_id: spanId(parent) }),
      name: rare ? 'rare name' : `step ${this.below(2) === 0 ? this.skewed(40) : this.below(40)}`,
      kind: { type, ...((type === 'llm_call' || rare) && call) },
      input: [{ role: 'user', content: this.text(140) }],
      output: { text: `${this.text(50)}${rare ? ' needle' : ''}`, finish_reason: 'stop' },
      status: failed ? { failed: { error: 'timeout' } } : 'completed',
      started_at: new Date(startedAt).toISOString(),
      ended_at: new Date(startedAt + duration).toISOString(),
    };
  }

  private trace(n: number, startedAt: number): object {
    const number = Math.floor(n / SPANS_PER_TRACE);
    const session = number % 5_000 === 0 ? 'rare-session' : number % 4 === 0 ? 'busy-session' : null;
    return {
      id: this.traceId(n),
      name: 'conversation',
      session_id: session,
      tags: [...(number % 3 === 0 ? ['prod'] : []), ...(number % 5_000 === 0 ? ['rare-tag'] : [])],
      started_at: new Date(startedAt).toISOString(),
    };
  }

  /** Below `n`; half of the time 0, half of the rest 1, and so on. */
  private skewed(n: number): number {
    return Math.min(Math.clz32(this.below(4_294_967_296)), this.below(n) + 1, n - 1);
  }

  private text(words: number): string {
    let text = '';
    for (let i = 0; i < words; i++) text += `${WORDS[this.below(WORDS.length)]} `;
    return text;
  }
}

/** The id of the nth span: ids ascend with the start, as ULIDs do, and are as long. */
export const spanId = (n: number): string => `01J${String(n).padStart(23, '0')}`;
