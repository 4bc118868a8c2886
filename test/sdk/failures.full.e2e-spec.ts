/**
 * What can go wrong between an application and the server, each with the SDK in a process of its own: the application's own
 * results stay what they are, and what the SDK says of the spans is what the database holds.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { SQLITE } from '../support/databases.ts';
import { startFaultyApi, type Fault, type FaultyApi } from '../support/faulty-api.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { startApp, type App, type AppOptions } from './support/app.ts';

/** Spans of each `record` beside those that it is asked for. */
const OWN = 5;
/** Times that would take minutes as users have them. */
const PACE = {
  gatherMs: 20,
  retryMs: 20,
  retryMaxMs: 50,
  deniedMs: 100,
  requestMs: 10_000,
  requestMaxMs: 10_000,
  exitMs: 1_000,
  signalMs: 1_000,
};

describe('the SDK when things fail', () => {
  const databases = SQLITE.open();
  let server: ServerApp;
  let api: FaultyApi;
  let app: App;

  beforeAll(async () => {
    server = await startServerApp(await databases.newDatabase('sdk-failures'));
    api = await startFaultyApi(server.url);
  });
  afterEach(async () => {
    app?.kill();
    api.fault = 'none';
  });
  afterAll(async () => {
    await api.close();
    await server.close();
    await databases.drop();
  });

  const start = async (row: string, { pace, ...options }: Partial<AppOptions> & { pace?: Partial<typeof PACE> } = {}) =>
    (app = await startApp(row, {
      ...options,
      options: { apiUrl: api.url, delivery: { pace: { ...PACE, ...pace } }, ...options.options },
    }));
  const stored = (row: string): Promise<SpanResource[]> => server.api.spans(`tag=${encodeURIComponent(row)}`);
  /** Flushes until nothing is pending. */
  const flushed = async () => {
    let result = await app.flush({ timeoutMs: 5_000 });
    await until(async () => (result = await app.flush({ timeoutMs: 5_000 })).pending === 0);
    return result;
  };
  /** All that was recorded is there, once and finished. */
  const expectAll = async (row: string, count: number): Promise<void> => {
    const spans = await stored(row);
    expect(spans).toHaveLength(count);
    expect(new Set(spans.map(({ id }) => id)).size).toBe(count);
    expect(spans.filter(({ status }) => status === 'running')).toEqual([]);
  };

  const faults: [string, Fault | 'down', RegExp][] = [
    ['down', 'down', /ECONNREFUSED/],
    ['hanging', 'hang', /^no answer within/],
    ['answering garbage', 'garbage', /the answer is not that of a Spandrel API/],
    ['closing the connection', 'close', /closed|ECONNRESET|socket/],
    ['losing its answers', 'lose the answer', /closed|ECONNRESET|socket/],
    ['failing with 503', { status: 503, code: 'unavailable' }, /^HTTP 503, unavailable: as the test has it$/],
    ['limiting', { status: 429, code: 'rate_limited' }, /^HTTP 429, rate_limited: as the test has it$/],
  ];
  it.each(faults)('an API %s, and then back: each span arrives once', async (row, fault, why) => {
    await start(row, fault === 'hang' ? { pace: { requestMs: 300, requestMaxMs: 300 } } : {});
    if (fault === 'down') await api.goDown();
    else api.fault = fault;
    expect(await app.record({ count: 20, bytes: 100 })).toBe(true);
    let failed = await app.flush({ timeoutMs: 400 });
    await until(async () => (failed = await app.flush({ timeoutMs: 400 })).lastError !== null);
    expect(failed).toMatchObject({ delivered: 0, dropped: 0, rejected: 0 });
    expect(failed.pending).toBeGreaterThanOrEqual(20 + OWN);
    expect(failed.lastError).toMatch(why);
    if (fault !== 'lose the answer') expect(await stored(row)).toEqual([]);
    if (fault === 'down') await api.comeUp();
    else api.fault = 'none';
    expect(await flushed()).toMatchObject({ delivered: failed.pending, dropped: 0, rejected: 0, lastError: null });
    await expectAll(row, 20 + OWN);
  });

  it.each([
    ['refused with 401', 401],
    ['refused with 403', 403],
  ])('a key %s: reported once, tried again from time to time, delivered once it is accepted', async (row, status) => {
    await start(row);
    api.fault = { status, code: 'unauthenticated' };
    const before = api.requests;
    expect(await app.record({ count: 10, bytes: 100 })).toBe(true);
    expect(await app.flush()).toMatchObject({ delivered: 0, lastError: expect.stringContaining(`HTTP ${status}`) });
    await until(() => api.requests >= before + 3);
    expect(app.errors().match(/refuses spans/g)).toHaveLength(1);
    expect(await stored(row)).toEqual([]);
    api.fault = 'none';
    await flushed();
    await expectAll(row, 10 + OWN);
  });

  it('a body too large (413): the one span at fault is counted as rejected, the others arrive', async () => {
    const row = 'too large';
    await start(row);
    api.fault = { bodyBytesMax: 20_000 };
    expect(await app.record({ count: 40, bytes: 1_000 })).toBe(true);
    expect(await app.record({ count: 1, bytes: 50_000, name: 'huge' })).toBe(true);
    expect(await flushed()).toMatchObject({ dropped: 0, rejected: 1, lastError: expect.stringContaining('HTTP 413') });
    const spans = await stored(row);
    expect(spans).toHaveLength(40 + 2 * OWN);
    expect(spans.filter(({ name }) => name === 'huge')).toEqual([]);
    expect(app.errors()).toContain('1 refused by the server');
  });

  it('a full queue: the newest are dropped and counted, what fitted arrives', async () => {
    const row = 'full queue';
    await start(row, { options: { queueBytes: 20_000 } });
    await api.goDown();
    expect(await app.record({ count: 100, bytes: 1_000 })).toBe(true);
    const failed = await app.flush({ timeoutMs: 100 });
    expect(failed.dropped).toBeGreaterThan(80);
    expect(app.errors().match(/spans or traces are lost/g)).toHaveLength(1);
    await api.comeUp();
    const result = await flushed();
    expect(result).toMatchObject({ delivered: failed.pending, dropped: failed.dropped, rejected: 0 });
    const texts = (await stored(row)).map(({ input }) => JSON.stringify(input)).filter((text) => text.includes('xxx'));
    const numbers = texts.map((text) => Number(/\d{6}/.exec(text)![0])).toSorted((a, b) => a - b);
    expect(numbers.length).toBeGreaterThan(5);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it('a flood while the API is down: memory stays within its bound', async () => {
    const row = 'flood';
    const queueBytes = 2 * 1_048_576;
    await start(row, { options: { queueBytes } });
    const flood = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) expect(await app.record({ count: 2_000, bytes: 1_000 })).toBe(true);
    };
    // What the process takes for itself is taken before.
    await flood(2);
    const before = await flushed();
    await api.goDown();
    const rssBefore = await app.rss();
    await flood(4);
    expect(((await app.rss()) - rssBefore) / 1_048_576).toBeLessThanOrEqual(64);
    await api.comeUp();
    const after = await flushed();
    expect(after.dropped - before.dropped).toBeGreaterThan(5_000);
    expect(after.rejected).toBe(0);
    expect(after.delivered + after.dropped).toBeGreaterThanOrEqual(6 * (2_000 + OWN));
    const traces = await server.api.traces(`tag=${row}`);
    const spans = traces.reduce((sum, trace) => sum + trace.span_count, 0);
    // Opened traces count too where there was room for them.
    expect(after.delivered).toBeGreaterThanOrEqual(spans);
    expect(after.delivered).toBeLessThanOrEqual(spans + traces.length);
  });

  it('a mask that throws: the span arrives without what it would have shown', async () => {
    const row = 'broken mask';
    await start(row, { masks: true });
    expect(await app.record({ count: 3, bytes: 100 })).toBe(true);
    await flushed();
    await expectAll(row, 3 + OWN);
    const spans = await stored(row);
    expect(JSON.stringify(spans)).not.toMatch(/xxx|answered/);
  });

  it('the end of the process with a flush, and its own exit code', async () => {
    const row = 'end with flush';
    await start(row);
    expect(await app.record({ count: 10, bytes: 100 })).toBe(true);
    expect(await app.flush()).toMatchObject({ pending: 0, dropped: 0, rejected: 0, lastError: null });
    await expectAll(row, 10 + OWN);
    expect(await app.end()).toEqual({ code: 7, signal: null });
  });

  it('the end of the process without a flush: it is made up for', async () => {
    const row = 'end without flush';
    // Nothing goes by itself before the end.
    await start(row, { pace: { gatherMs: 3_600_000 } });
    expect(await app.record({ count: 10, bytes: 100 })).toBe(true);
    expect(await stored(row)).toEqual([]);
    expect(await app.end()).toEqual({ code: 7, signal: null });
    await expectAll(row, 10 + OWN);
  });

  it.each<[string, Fault | 'down']>([
    ['down', 'down'],
    ['hanging', 'hang'],
    ['refusing the key', { status: 401, code: 'unauthenticated' }],
  ])(
    'the end of the process while the API is %s: it ends all the same and reports what is lost',
    async (row, fault) => {
      await start(`end, ${row}`, {
        pace: { gatherMs: 3_600_000, exitMs: 200, requestMs: 60_000, requestMaxMs: 60_000 },
      });
      if (fault === 'down') await api.goDown();
      else api.fault = fault;
      expect(await app.record({ count: 10, bytes: 100 })).toBe(true);
      expect(await app.end()).toEqual({ code: 7, signal: null });
      expect(app.errors()).toMatch(/\d+ spans or traces were not delivered before the end/);
      if (fault === 'down') await api.comeUp();
    },
  );

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: what waits is delivered, and the signal ends the process',
    async (signal) => {
      await start(signal, { signals: true, pace: { gatherMs: 3_600_000 } });
      expect(await app.record({ count: 10, bytes: 100 })).toBe(true);
      await app.leaveRunning();
      expect(await app.signal(signal)).toEqual({ code: null, signal });
      const spans = await stored(signal);
      expect(spans.filter(({ status }) => status !== 'running')).toHaveLength(10 + OWN);
      expect(spans.filter(({ status }) => status === 'running').map(({ name }) => name)).toEqual(['unfinished']);
    },
  );

  it('SIGTERM while the API hangs: the process ends after its time', async () => {
    await start('signal, hanging', { signals: true, pace: { signalMs: 200, requestMs: 60_000, requestMaxMs: 60_000 } });
    api.fault = 'hang';
    expect(await app.record({ count: 10, bytes: 100 })).toBe(true);
    expect(await app.signal('SIGTERM')).toEqual({ code: null, signal: 'SIGTERM' });
    expect(app.errors()).toContain('were not delivered before the end');
  });
});
