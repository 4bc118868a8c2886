/** kill -9 of the server under exports, again and again: what was acknowledged is there, and all of it once after retries. */
import { afterAll, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpanResource, TraceListItem } from '@spandrel/contract';
import type { Api } from '../support/api.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { naiveSummary } from '../support/naive-analytics.ts';
import type { Place } from '../support/places.ts';
import { random } from '../support/random.ts';
import { recount } from '../support/recount.ts';
import { repetitions } from '../support/repetitions.ts';
import { until } from '../support/spandrel.ts';
import { attribute } from './otlp-door.ts';

const EXPORTERS = 6;
const CALLS = 6;
const TOKENS = 7;
const START_MS = Date.UTC(2026, 10, 22, 12);

interface Sent {
  path: '/v1/traces' | '/v1/logs';
  body: object;
}

describeOnBothDatabases('kill -9 of the server under exports', ({ name, takePlace }) => {
  const kills = repetitions(name === 'SQLite' ? 10 : 5);
  let place: Place | undefined;
  afterAll(() => place?.close());

  it(`loses and doubles nothing, kills: ${kills}`, async () => {
    place = await takePlace();
    let server = await place.start({ command: 'server' });
    const load = new Load(server.api.baseUrl, place.headers);
    const exporters = Array.from({ length: EXPORTERS }, (_, n) => load.run(n));
    for (let kill = 0; kill < kills; kill++) {
      const before = load.acknowledged;
      await until(() => load.acknowledged > before + 20);
      await sleep((kill * 37) % 240);
      await server.stop('SIGKILL');
      server = await place.start({ command: 'server' });
    }
    load.end();
    await Promise.all(exporters);
    expect(load.retried).toBeGreaterThan(0);
    await expectWhole(server.api, load.traceIds);
    const [marks] = await place.rows<{ n: number | string }>('select count(*) as n from usage_mark');
    expect(Number(marks!.n)).toBe(0);
    if (place.mode === 'local') {
      expect(recount(place.dataDir)).toMatchObject({ integrity: 'ok', wrongRollUps: [], wrongAnalytics: 0, halves: 0 });
    }
    expect(await server.stop()).toBe(0);
  });
});

/** Exporters that send an export until it is acknowledged, as OTLP has them do, and never again after that. */
class Load {
  readonly traceIds: string[] = [];
  acknowledged = 0;
  retried = 0;
  private going = true;

  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  end(): void {
    this.going = false;
  }

  /** Exports trace after trace, each in any order. */
  async run(exporter: number): Promise<void> {
    const below = random(exporter);
    for (let n = 0; this.going; n++) {
      const traceId = `${exporter + 1}${n.toString(16).padStart(31, '0')}`;
      this.traceIds.push(traceId);
      const parts = partsOf(traceId).map((sent) => ({ sent, at: below(1_000) }));
      for (const { sent } of parts.toSorted((a, b) => a.at - b.at)) await this.send(sent);
    }
  }

  private async send({ path, body }: Sent): Promise<void> {
    for (;;) {
      const status = await this.post(path, JSON.stringify(body));
      if (status === 200) {
        this.acknowledged++;
        return;
      }
      if (status !== undefined && status !== 503) throw new Error(`${path} was answered with ${status}`);
      this.retried++;
      await sleep(20);
    }
  }

  /** @returns `undefined` when the server is gone. */
  private async post(path: string, body: string): Promise<number | undefined> {
    try {
      const headers = { 'content-type': 'application/json', ...this.headers };
      const response = await fetch(this.url + path, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return undefined;
    }
  }
}

/** A trace of an agent over calls, of which each reports tokens; the questions come as log records. */
function partsOf(traceId: string): Sent[] {
  const spanId = (n: number): string => `${traceId.slice(0, 1)}${traceId.slice(-8)}${n.toString(16).padStart(7, '0')}`;
  const nanos = (n: number): string => `${START_MS + n * 10}000000`;
  const span = (n: number, parent: number | null, attributes: object[]): object => ({
    traceId,
    spanId: spanId(n),
    ...(parent !== null && { parentSpanId: spanId(parent) }),
    name: `span ${n}`,
    startTimeUnixNano: nanos(n),
    endTimeUnixNano: nanos(n + 1),
    attributes: [...attributes, attribute('gen_ai.usage.input_tokens', n === 0 ? CALLS * TOKENS : TOKENS)],
  });
  const calls = Array.from({ length: CALLS }, (_, n) => n + 1);
  const question = (n: number): object => ({
    traceId,
    spanId: spanId(n),
    timeUnixNano: nanos(n),
    eventName: 'gen_ai.user.message',
    body: { kvlistValue: { values: [attribute('content', `question ${n}`)] } },
  });
  const spans = [
    span(0, null, [attribute('gen_ai.operation.name', 'invoke_agent')]),
    ...calls.map((n) => span(n, Math.floor(n / 2), [attribute('gen_ai.operation.name', 'chat')])),
  ];
  const exported = (path: Sent['path'], items: object[]): Sent =>
    path === '/v1/traces'
      ? { path, body: { resourceSpans: [{ scopeSpans: [{ spans: items }] }] } }
      : { path, body: { resourceLogs: [{ scopeLogs: [{ logRecords: items }] }] } };
  return [
    exported('/v1/traces', spans.slice(0, 2)),
    ...spans.slice(2).map((one) => exported('/v1/traces', [one])),
    exported('/v1/logs', calls.slice(0, 3).map(question)),
    ...calls.slice(3).map((n) => exported('/v1/logs', [question(n)])),
  ];
}

/** Every span of every trace once, with its question; tokens at the innermost calls alone. */
async function expectWhole(api: Api, traceIds: readonly string[]): Promise<void> {
  const all: SpanResource[] = [];
  const wrong: unknown[] = [];
  for (const traceId of traceIds) {
    const { body } = await api.get<{ trace: TraceListItem; spans: SpanResource[] }>(`/api/traces/${traceId}`);
    all.push(...body.spans);
    const names = body.spans.map(({ name }) => name);
    const asked = body.spans.filter(({ name, input }) =>
      JSON.stringify(input)?.includes(`question ${name.slice('span '.length)}`),
    );
    const reported = { names, asked: asked.length, tokens: body.trace.total_tokens };
    if (JSON.stringify(reported) !== JSON.stringify(WHOLE)) wrong.push({ traceId, ...reported });
  }
  expect(wrong).toEqual([]);
  expect((await api.get('/api/analytics/summary')).body).toEqual(naiveSummary(traceIds.length, all));
}

/** Calls have the agent, or one another, as parents: of seven spans the last three, and the third, have none below. */
const WHOLE = {
  names: Array.from({ length: CALLS + 1 }, (_, n) => `span ${n}`),
  asked: CALLS,
  tokens: 3 * TOKENS,
};
