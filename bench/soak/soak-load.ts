import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest } from '../../test/support/send-request.ts';
import { proseOf } from '../prose.ts';
import type { Acknowledged } from './acknowledged.ts';

/** Clients, each with one request on the way. */
const CLIENTS = 64;
/** Spans of an ingest and of an export. */
const BATCH = 20;
/** Operations after which a client goes on in a new trace. */
const OPERATIONS_A_TRACE = 50;
const TEXTS = 1_024;
const JSON_TYPE = { 'content-type': 'application/json' };

const inputs = Array.from({ length: TEXTS }, (_, n) => proseOf(n, 1_000));
const outputs = Array.from({ length: TEXTS }, (_, n) => proseOf(TEXTS + n, 300));
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'gemini-pro'];

/** What clients do, by how often in a hundred operations. */
const MIX = [
  ['pair', 70],
  ['read', 25],
  ['ingest', 3],
  ['export', 2],
] as const;
type Operation = (typeof MIX)[number][0];
const OPERATIONS = MIX.flatMap(([operation, times]) => Array.from({ length: times }, (): Operation => operation));

const READS = [
  '/api/spans',
  '/api/spans?model=gpt-4o',
  '/api/spans?status=failed',
  '/api/spans?sort_by=duration',
  '/api/spans?name_contains=step',
  '/api/traces',
  '/api/analytics/summary',
];

/** The id of a span, which an exporter can send as well: 16 digits. None is all zeros. */
const idOf = (n: number): string => (n + 1).toString(16).padStart(16, '0');
/** The number of a span; `NaN` for an id that is none of ours. */
export const numberOf = (id: string): number => (/^[0-9a-f]{16}$/.test(id) ? Number.parseInt(id, 16) - 1 : Number.NaN);

/** What was seen since the last look. */
export interface Seen {
  /** Milliseconds of each write, from the moment it was due. */
  millis: number[];
  requests: number;
  errors: number;
  /** The first answer that was no success. */
  firstError: string | undefined;
}

/** Clients that write and read at a rate that does not wait for the server, as users do not. */
export class SoakLoad {
  operations = 0;
  private readonly url: string;
  private readonly acknowledged: Acknowledged;
  private readonly perSecond: number;
  private going = false;
  private isKilled = false;
  private clients: Promise<void>[] = [];
  private seen: Seen = nothingSeen();
  private due = 0;
  private traces = 0;

  /** @param perSecond operations; `Infinity` for as many as the server takes. */
  constructor(url: string, acknowledged: Acknowledged, perSecond: number) {
    this.url = url;
    this.acknowledged = acknowledged;
    this.perSecond = perSecond;
  }

  start(): void {
    this.going = true;
    this.isKilled = false;
    this.due = performance.now();
    this.clients = Array.from({ length: CLIENTS }, () => this.client());
  }

  /** Lets what is on the way end, or fail. */
  async stop(): Promise<void> {
    this.going = false;
    await Promise.all(this.clients);
  }

  /** From now on an answer that does not come is the kill's, and no error. */
  expectTheEnd(): void {
    this.isKilled = true;
  }

  takeSeen(): Seen {
    const { seen } = this;
    this.seen = nothingSeen();
    return seen;
  }

  private async client(): Promise<void> {
    let trace = '';
    for (let n = 0; this.going; n++) {
      const due = await this.nextDue();
      if (!this.going) return;
      try {
        if (n % OPERATIONS_A_TRACE === 0) trace = await this.newTrace();
        // 37 is prime to a hundred: every operation comes as often as the mix says, in a mixed order.
        await this.perform(OPERATIONS[(this.operations++ * 37) % OPERATIONS.length]!, trace, due);
      } catch (error) {
        this.failed(String(error));
      }
    }
  }

  /** Waits for the time of the next operation. @returns it. */
  private async nextDue(): Promise<number> {
    const now = performance.now();
    if (this.perSecond === Infinity) return now;
    const due = (this.due += 1_000 / this.perSecond);
    if (due > now + 1) await sleep(due - now);
    return due;
  }

  private async newTrace(): Promise<string> {
    const id = `${Date.now().toString(16).padStart(16, '0')}${(this.traces++).toString(16).padStart(16, '0')}`;
    if (await this.send('POST', '/api/traces', { id, name: 'soak' })) this.acknowledged.changes++;
    return id;
  }

  private perform(operation: Operation, trace: string, due: number): Promise<void> {
    const of = { pair: this.pair, read: this.read, ingest: this.ingest, export: this.export };
    return of[operation].call(this, trace, due);
  }

  private async pair(trace: string, due: number): Promise<void> {
    const n = this.acknowledged.take(1);
    const kind = { type: 'llm_call', model: MODELS[n % MODELS.length], provider: 'openai' };
    const input = [{ role: 'user', content: inputs[n % TEXTS] }];
    const span = { id: idOf(n), trace_id: trace, name: `step ${n % 40}`, kind, input };
    if (!(await this.send('POST', '/api/spans', span, due))) return;
    this.acknowledged.created(n);
    const end =
      n % 100 === 7
        ? await this.send('POST', `/api/spans/${idOf(n)}/fail`, { error: 'timeout' }, performance.now())
        : await this.send('POST', `/api/spans/${idOf(n)}/complete`, finished(n), performance.now());
    if (end) this.acknowledged.completed(n);
  }

  private async read(trace: string): Promise<void> {
    const at = this.operations % (READS.length + 1);
    await this.send('GET', READS[at] ?? `/api/traces/${trace}`);
  }

  private async ingest(trace: string, due: number): Promise<void> {
    const first = this.acknowledged.take(BATCH);
    const numbers = Array.from({ length: BATCH }, (_, i) => first + i);
    const spans = numbers.map((n) => ({
      ...{ id: idOf(n), trace_id: trace, name: `step ${n % 40}`, status: 'completed' },
      ...{ input: inputs[n % TEXTS], ...finished(n) },
    }));
    if (await this.send('POST', '/api/ingest', { spans }, due)) numbers.forEach((n) => this.acknowledged.completed(n));
  }

  /** An export of OpenTelemetry in JSON. */
  private async export(trace: string, due: number): Promise<void> {
    const first = this.acknowledged.take(BATCH);
    const numbers = Array.from({ length: BATCH }, (_, i) => first + i);
    const now = Date.now();
    const spans = numbers.map((n) => ({
      ...{ traceId: trace, spanId: idOf(n), name: `step ${n % 40}`, kind: 3 },
      ...{ startTimeUnixNano: `${now}000000`, endTimeUnixNano: `${now + 20}000000` },
      attributes: [
        { key: 'gen_ai.request.model', value: { stringValue: MODELS[n % MODELS.length] } },
        { key: 'gen_ai.prompt.0.content', value: { stringValue: inputs[n % TEXTS] } },
      ],
    }));
    const body = { resourceSpans: [{ scopeSpans: [{ scope: { name: 'soak' }, spans }] }] };
    if (await this.send('POST', '/v1/traces', body, due)) numbers.forEach((n) => this.acknowledged.completed(n));
  }

  /** @param due when a write was due; reads have none. @returns whether it was acknowledged. */
  private async send(method: string, path: string, body?: object, due?: number): Promise<boolean> {
    const { status, text } = await sendRequest(this.url + path, {
      method,
      headers: body === undefined ? {} : JSON_TYPE,
      body: body && JSON.stringify(body),
    });
    this.seen.requests++;
    if (due !== undefined) this.seen.millis.push(performance.now() - due);
    const isFine = status < 300 && !text.startsWith('{"partialSuccess":{"r');
    if (!isFine) this.failed(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return isFine;
  }

  private failed(what: string): void {
    if (this.isKilled) return;
    this.seen.errors++;
    this.seen.firstError ??= what;
  }
}

const finished = (n: number): object => ({
  output: { text: outputs[n % TEXTS], finish_reason: 'stop' },
  kind: {
    ...{ type: 'llm_call', model: MODELS[n % MODELS.length], provider: 'openai' },
    ...{ input_tokens: 120 + (n % 400), output_tokens: 80 },
  },
});

const nothingSeen = (): Seen => ({ millis: [], requests: 0, errors: 0, firstError: undefined });
