/** Log records that report calls: they meet their span whichever comes first, and go where it goes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import type { StorageConfig } from '@spandrel/storage';
import { ExpireSpans } from '@spandrel/tracing';
import { EventUpkeep } from '../../libs/otlp/src/write/event-upkeep.js';
import { describeOnBothDatabases } from '../support/databases.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { logExport, spanExport, spanIdOf, START, traceIdOf, type RecordOptions } from './exported.ts';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

describeOnBothDatabases('log events', ({ newDatabase }) => {
  let database: StorageConfig;
  let server: ServerApp;

  beforeAll(async () => {
    database = await newDatabase('log_events');
    server = await startServerApp(database);
  });
  afterAll(() => server?.close());

  const call = async <Body = SpanResource>(method: string, path: string, body?: object, project = 'p') =>
    server.api.send<Body>(method, path, body, { 'x-test-project': project });

  async function send(path: '/v1/traces' | '/v1/logs', body: object, project?: string): Promise<void> {
    const answer = await call<object>('POST', path, body, project);
    expect([answer.status, answer.body]).toEqual([200, {}]);
  }
  const question = (trace: string, content = 'why?', project?: string) =>
    send('/v1/logs', logExport({ trace, span: 'call', event: 'gen_ai.user.message', body: { content } }), project);
  const span = (trace: string, project?: string) => send('/v1/traces', spanExport({ trace, span: 'call' }), project);
  const log = (options: Partial<RecordOptions> & { trace: string }) =>
    send('/v1/logs', logExport({ span: 'call', event: 'gen_ai.user.message', body: { content: 'why?' }, ...options }));

  /** The span `call` of a trace, under whichever id it is stored. */
  async function stored(trace: string, project?: string): Promise<SpanResource> {
    const { body } = await call<{ spans: SpanResource[] }>(
      'GET',
      `/api/traces/${traceIdOf(trace)}`,
      undefined,
      project,
    );
    return body.spans.find(({ name }) => name === 'call')!;
  }
  const ASKED = [{ role: 'user', content: 'why?' }];

  it('are the input of their span, whichever comes first, also of one whose id another trace has', async () => {
    await span('first');
    await question('first');
    await question('second');
    await span('second');
    const [first, second] = [await stored('first'), await stored('second')];
    expect([first.id, first.input]).toEqual([spanIdOf('call'), ASKED]);
    expect([second.id, second.input]).toEqual([`${spanIdOf('call')}.${traceIdOf('second')}`, ASKED]);
    expect(second.metadata['otel']).toEqual(first.metadata['otel']);
  });

  it('are the input of their span however long they are', async () => {
    const content = 'why? '.repeat(20_000);
    await span('long first');
    await question('long first', content);
    await question('long second', content);
    await span('long second');
    for (const trace of ['long first', 'long second']) {
      expect((await stored(trace)).input).toEqual([{ role: 'user', content }]);
    }
  });

  it('change nothing when they, or their span, come again', async () => {
    const before = await stored('first');
    const reported = server.events.length;
    await question('first');
    await span('first');
    expect(await stored('first')).toEqual(before);
    expect(server.events.slice(reported)).toEqual([]);
  });

  it('wait over a restart', async () => {
    await question('restarted');
    await server.close();
    server = await startServerApp(database);
    await span('restarted');
    expect((await stored('restarted')).input).toEqual(ASKED);
  });

  it('keep what others found out about the call as events of the span', async () => {
    const evaluation = { event: 'gen_ai.evaluation.result', body: { 'gen_ai.evaluation.name': 'relevance' } };
    await log({ trace: 'evaluated', ...evaluation, at: START + 5 });
    await span('evaluated');
    await log({ trace: 'evaluated', ...evaluation, at: START + 7 });
    await log({ trace: 'evaluated', ...evaluation, at: START + 7 });
    const result = (ms: number) => ({
      name: 'gen_ai.evaluation.result',
      time_unix_nano: `${START + ms}000000`,
      attributes: { 'gen_ai.evaluation.name': 'relevance' },
      from_logs: true,
    });
    const { metadata, input } = await stored('evaluated');
    expect(metadata['otel']).toMatchObject({ events: [result(5), result(7)] });
    expect(input).toBeNull();
  });

  it('belong to the project that sent them', async () => {
    await question('shared', 'mine?', 'p-a');
    await span('shared', 'p-b');
    await span('shared', 'p-a');
    expect((await stored('shared', 'p-b')).input).toBeNull();
    expect((await stored('shared', 'p-a')).input).toEqual([{ role: 'user', content: 'mine?' }]);
  });

  describe('after otlp.pending_hours', () => {
    const upkeep = (hours: number) => server.app.get(EventUpkeep).run(Date.now() + hours * HOUR_MS, never);

    it('are gone where no span came, which is counted, and kept in spans that came', async () => {
      await question('never');
      await span('kept');
      await question('kept');
      await upkeep(0.9);
      expect(await expired()).toBe(0);
      await upkeep(1.1);
      expect(await expired()).toBeGreaterThan(0);
      await span('never');
      expect((await stored('never')).input).toBeNull();
      await span('kept');
      expect((await stored('kept')).input).toEqual(ASKED);
    });

    it('fill in what is missing, and take nothing away', async () => {
      await log({ trace: 'kept', event: 'gen_ai.choice', body: { finish_reason: 'stop' }, at: START + 9 });
      const { input, output } = await stored('kept');
      expect([input, output]).toEqual([ASKED, expect.objectContaining({ finish_reason: 'stop' })]);
    });
  });

  describe('that wait for a span of a trace', () => {
    const late = async (trace: string, deletion: () => Promise<unknown>): Promise<unknown> => {
      await send('/v1/traces', spanExport({ trace, span: 'other', startedAt: START - 30 * 24 * HOUR_MS }));
      await question(trace);
      await deletion();
      await span(trace);
      return (await stored(trace)).input;
    };

    it('go with the trace, which a late span makes again', async () => {
      expect(await late('deleted', () => call('DELETE', `/api/traces/${traceIdOf('deleted')}`))).toBeNull();
      expect(await stored('deleted')).toMatchObject({ name: 'call', status: 'completed' });
    });

    it('go with it when it is past its retention', async () => {
      const expire = () =>
        server.app.get(ExpireSpans).execute([{ orgId: 'o', projectId: 'p', plan: 'starter', days: 7 }], START, never);
      expect(await late('expired', expire)).toBeNull();
    });

    it('go with their span, under the id that its sender knows', async () => {
      await question('single');
      await span('single');
      const { id } = await stored('single');
      expect((await call('DELETE', `/api/spans/${id}`)).status).toBe(200);
      await span('single');
      expect((await stored('single')).input).toBeNull();
    });

    it('go with all of the project', async () => {
      await question('all', 'why?', 'p-a');
      await question('all', 'why?', 'p-b');
      expect((await call('DELETE', '/api/traces', undefined, 'p-a')).status).toBe(200);
      for (const project of ['p-a', 'p-b']) await span('all', project);
      expect((await stored('all', 'p-a')).input).toBeNull();
      expect((await stored('all', 'p-b')).input).toEqual(ASKED);
    });
  });

  async function expired(): Promise<number> {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return Number(/^spandrel_otlp_expired_events_total (\d+)/m.exec(text)![1]);
  }
});
