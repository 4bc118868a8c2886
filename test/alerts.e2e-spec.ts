/** Alerts and their channels (docs/spec/alerts.md), in this process, on both databases, by a clock of the test's own. */
import { createHmac } from 'node:crypto';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { AlertsSettings } from '../libs/alerts/src/alerts.settings.ts';
import { ReadMeasure } from '../libs/alerts/src/read-measure.ts';
import { DeliverAlerts, EvaluateAlerts } from '@spandrel/alerts';
import { ConnectionsSettings } from '@spandrel/connections';
import type {
  AlertChange,
  AlertChannelResource,
  AlertDelivery,
  AlertEvaluation,
  AlertResource,
  AlertSeries,
  ScoringRuleResource,
} from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { FEATURES } from '@spandrel/server';
import { refused, said, startScriptedProvider } from './evals/scripted-provider.ts';
import { describeOnBothDatabases } from './support/databases.ts';
import { callInProcess } from './support/in-process.ts';
import { openInProcess, startServerApp, type ServerApp, type ServerAppOptions } from './support/server-app.ts';
import { until } from './support/spandrel.ts';
import { Receiver } from './support/webhook-receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describeOnBothDatabases('alerts', ({ newDatabase, name: dialect }) => {
  let server: ServerApp;
  let second: ServerApp | undefined;
  const receiver = new Receiver();
  let url: string;
  let smtp: TcpServer;
  const mail: string[] = [];
  let ids = 0;
  beforeAll(async () => {
    url = await receiver.start();
    smtp = startSmtp(mail);
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const options: ServerAppOptions = {
      settings: (settings) => {
        settings.of(AlertsSettings).smtp = `smtp://127.0.0.1:${(smtp.address() as AddressInfo).port}`;
        // Both instances read the addresses of channels.
        settings.of(ConnectionsSettings).secretKey = Buffer.alloc(32, 7);
      },
    };
    const database = await newDatabase('alerts');
    server = await startServerApp(database, options);
    if (dialect === 'Postgres') second = await startServerApp(database, options);
  });
  afterAll(async () => {
    await second?.close();
    await server?.close();
    receiver.close();
    smtp.close();
  });

  const call = async <Answer>(project: string, method: string, path: string, body?: unknown) => {
    const init = { method, headers: { 'content-type': 'application/json', 'x-test-project': project } };
    const response = await fetch(
      `${server.url}${path}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    return { status: response.status, body: (await response.json()) as Answer };
  };

  const project = () => `alerts-${++ids}`;

  async function made<Made extends { id: string }>(of: string, path: string, body: unknown): Promise<Made> {
    const answer = await call<Made>(of, 'POST', path, body);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body;
  }

  const webhook = (of: string, more = {}) =>
    made<AlertChannelResource>(of, '/api/alert-channels', {
      name: 'hook',
      kind: 'webhook',
      url: `${url}/hook?token=t0ken`,
      ...more,
    });

  /** LLM calls of a user that began a minute before a moment. */
  async function record(of: string, user: string, costs: (number | null)[], now: number, more = {}): Promise<void> {
    const trace = `trace-${++ids}`;
    const at = now - MINUTE;
    const spans = costs.map((cost, index) => ({
      ...{ id: `${trace}-${index}`, trace_id: trace, name: 'call', started_at: new Date(at).toISOString() },
      ended_at: new Date(at + 1_000).toISOString(),
      kind: { type: 'llm_call', model: 'm', provider: 'p', cost, input_tokens: 10, output_tokens: 5, ...more },
    }));
    const answer = await call(of, 'POST', '/api/ingest', {
      traces: [{ id: trace, user_id: user, session_id: `s-${user}`, tags: [`t-${user}`], name: `n-${user}` }],
      spans,
    });
    expect(answer).toMatchObject({ status: 200, body: { rejected: [] } });
  }

  /** Evaluates everything as if it were a moment later, and sends what comes of it. */
  async function pass(now: number): Promise<void> {
    await server.app.get(EvaluateAlerts).evaluateDue(() => now);
    await server.app.get(DeliverAlerts).deliverDue(() => now);
  }

  const read = async (of: string, id: string) => (await call<AlertResource>(of, 'GET', `/api/alerts/${id}`)).body;
  const history = async (of: string, id: string) =>
    (await call<{ changes: AlertChange[] }>(of, 'GET', `/api/alerts/${id}/history`)).body.changes.map(
      ({ key, from, to }) => [key, from, to],
    );

  it('are made, read, changed and deleted', async () => {
    const of = project();
    const channel = await webhook(of);
    const alert = await made<AlertResource>(of, '/api/alerts', {
      ...{ name: 'dear', measure: 'cost', window: '1h', condition: { op: '>', value: 5 }, channel_ids: [channel.id] },
    });

    expect(alert).toMatchObject({
      ...{ enabled: true, filters: {}, group_by: 'none', min_count: 0, for: null, cooldown: null, severity: 'warning' },
      ...{ state: 'no_data', last_value: null, firing: [], channel_ids: [channel.id] },
    });
    const changed = await call<AlertResource>(of, 'PUT', `/api/alerts/${alert.id}`, { enabled: false, for: '10m' });
    expect(changed.body).toMatchObject({
      enabled: false,
      for: '10m',
      measure: 'cost',
      condition: { op: '>', value: 5 },
    });
    expect((await call<{ count: number }>(of, 'GET', '/api/alerts')).body).toMatchObject({
      count: 1,
      next_cursor: null,
    });

    expect((await call(of, 'DELETE', `/api/alert-channels/${channel.id}`)).status).toBe(200);
    expect((await read(of, alert.id)).channel_ids).toEqual([]);
    expect((await call(of, 'DELETE', `/api/alerts/${alert.id}`)).body).toEqual({ id: alert.id, deleted: true });
    expect(await call(of, 'GET', `/api/alerts/${alert.id}`)).toMatchObject({
      status: 404,
      body: { code: 'alert_not_found' },
    });
    expect(await call(of, 'GET', `/api/alert-channels/${channel.id}`)).toMatchObject({
      ...{ status: 404, body: { code: 'alert_channel_not_found' } },
    });
  });

  it('are refused where they could measure nothing, or send nowhere', async () => {
    const of = project();
    const right = { name: 'a', measure: 'cost', window: '1h', condition: { op: '>', value: 5 } };
    const refused: [object, string][] = [
      [{ window: '4m' }, 'window'],
      [{ window: '31d' }, 'window'],
      [{ window: 'soon' }, 'window'],
      [{ measure: 'score_mean' }, 'filters.score_name'],
      [{ filters: { score_name: 'x' } }, 'filters.score_name'],
      [{ filters: { colour: 'red' } }, 'filters.colour'],
      [{ condition: { op: '=', value: 1 } }, 'condition'],
      [{ condition: { change: '>', percent: -1, against: 'previous' } }, 'condition'],
      [{ channel_ids: ['nowhere'] }, 'channel_ids[0]'],
      [{ group_by: 'planet' }, 'group_by'],
      [{ min_count: -1 }, 'min_count'],
    ];
    for (const [member, path] of refused) {
      const { status, body } = await call<{ errors: { path: string }[] }>(of, 'POST', '/api/alerts', {
        ...right,
        ...member,
      });
      expect([member, status, body.errors[0]!.path]).toEqual([member, 400, expect.stringContaining(path)]);
    }
    const channels: [object, string][] = [
      [{ kind: 'webhook' }, 'url'],
      [{ kind: 'slack', url: 'ftp://x' }, 'url'],
      [{ kind: 'email' }, 'to'],
      [{ kind: 'email', to: ['nobody'] }, 'to[0]'],
      [{ kind: 'email', to: ['a@b.example'], url }, 'url'],
      [{ kind: 'slack', url, secret: 's' }, 'secret'],
      [{ kind: 'pigeon' }, 'kind'],
    ];
    for (const [members, path] of channels) {
      const { status, body } = await call<{ errors: { path: string }[] }>(of, 'POST', '/api/alert-channels', {
        name: 'c',
        ...members,
      });
      expect([members, status, body.errors[0]!.path]).toEqual([members, 400, path]);
    }
    const alert = await made<AlertResource>(of, '/api/alerts', right);
    expect((await call(of, 'PUT', `/api/alerts/${alert.id}`, { measure: 'score_mean' })).status).toBe(400);
    expect((await read(of, alert.id)).measure).toBe('cost');
  });

  it('warn when one user costs more than 5 $ in an hour, once, and say when that is over', async () => {
    const of = project();
    const channel = await webhook(of, { secret: 'hush' });
    const alert = await made<AlertResource>(of, '/api/alerts', {
      ...{ name: 'dear users', measure: 'cost', group_by: 'user', window: '1h', condition: { op: '>', value: 5 } },
      ...{ channel_ids: [channel.id], severity: 'critical' },
    });
    const began = Date.now();
    await record(of, 'cheap', [1, 2], began);
    await record(of, 'dear', [3, 3], began);

    await pass(began + MINUTE + 10_000);
    await pass(began + 3 * MINUTE);
    await pass(began + 5 * MINUTE);

    expect(receiver.of(alert.id)).toMatchObject([{ type: 'alert.firing', key: 'dear', value: 6 }]);
    const { headers, text } = receiver.received.at(-1)!;
    const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${text}`;
    const signature = createHmac('sha256', 'hush').update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(JSON.parse(text)).toMatchObject({
      id: headers['webhook-id'],
      project_id: of,
      alert: { severity: 'critical' },
    });
    expect(await read(of, alert.id)).toMatchObject({
      ...{ state: 'firing', last_value: 6, firing: [{ key: 'dear', value: 6 }] },
      explain: {
        ...{ source: 'spans', decision: 'firing', group_count: 2, reason: expect.stringContaining('1 of 2 by user') },
        groups: [
          { key: 'dear', value: 6, count: 2, holds: true },
          { key: 'cheap', value: 3, count: 2, holds: false },
        ],
      },
    });

    await pass(began + HOUR + MINUTE);
    await pass(began + HOUR + 3 * MINUTE);

    expect(receiver.of(alert.id).map(({ type }) => type)).toEqual(['alert.firing', 'alert.resolved']);
    expect(await read(of, alert.id)).toMatchObject({ state: 'ok', firing: [] });
    expect(await history(of, alert.id)).toEqual([
      ['dear', 'firing', 'ok'],
      ['dear', 'ok', 'firing'],
    ]);
    const path = `/api/alert-channels/${channel.id}/deliveries`;
    const { body } = await call<{ deliveries: AlertDelivery[] }>(
      of,
      'GET',
      `${path}?status=delivered&alert_id=${alert.id}`,
    );
    expect(body.deliveries).toMatchObject([
      { event: 'resolved', key: 'dear', status: 'delivered', attempts: 1, status_code: 204, last_error: null },
      { event: 'firing', key: 'dear', status: 'delivered', next_try_at: null },
    ]);
    expect(JSON.stringify([body, await call(of, 'GET', '/api/alert-channels')])).not.toMatch(/hush|t0ken/);
  });

  it('are delivered beside those of another project whose receivers take what they get and never answer', async () => {
    const [slow, of] = [project(), project()];
    const open: Socket[] = [];
    const silent = createTcpServer((socket) => void open.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const nowhere = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const now = Date.now();
    const alert = { measure: 'cost', window: '1h', condition: { op: '>', value: 5 } };
    await record(slow, 'u', [10], now);
    const channels: string[] = [];
    for (let c = 0; c < 20; c++) channels.push((await webhook(slow, { url: nowhere })).id);
    // More than all that send here could have under way together.
    for (let n = 0; n < 8; n++) await made(slow, '/api/alerts', { name: 'slow', ...alert, channel_ids: channels });
    const passed = pass(now);
    await until(() => open.length > 0);
    await record(of, 'u', [10], now);
    const channel = await webhook(of);
    const { id } = await made<AlertResource>(of, '/api/alerts', { name: 'quick', ...alert, channel_ids: [channel.id] });
    await server.app.get(EvaluateAlerts).evaluateDue(() => now + 1);
    const second = server.app.get(DeliverAlerts).deliverDue(() => now + 1);
    await until(() => receiver.of(id).length === 1, 30_000);
    const path = `/api/alert-channels/${channels[0]}/deliveries`;
    const { body } = await call<{ deliveries: AlertDelivery[] }>(slow, 'GET', path);
    expect(body.deliveries.map(({ last_error: error }) => error)).toEqual(Array<null>(8).fill(null));
    for (const socket of open) socket.destroy();
    silent.on('connection', (socket) => socket.destroy());
    await Promise.all([passed, second]);
    silent.close();
  });

  it('are delivered once after a receiver was down for an hour', async () => {
    const of = project();
    const channel = await webhook(of);
    const began = Date.now();
    await record(of, 'u', [1], began);
    const alert = await made<AlertResource>(of, '/api/alerts', {
      ...{ name: 'calls', measure: 'calls', window: '1d', condition: { op: '>', value: 0 }, channel_ids: [channel.id] },
    });
    receiver.status = 503;
    const before = receiver.attempts;
    await pass(began + MINUTE + 10_000);
    for (let now = began + MINUTE; now < began + HOUR; now += 5 * MINUTE) await pass(now);
    const { body } = await call<{ deliveries: AlertDelivery[] }>(
      of,
      'GET',
      `/api/alert-channels/${channel.id}/deliveries`,
    );
    expect(body.deliveries).toMatchObject([
      { status: 'pending', status_code: 503, last_error: `HTTP 503 from ${url}` },
    ]);
    expect(receiver.attempts - before).toBeGreaterThan(3);
    expect(receiver.attempts - before).toBeLessThan(15);
    receiver.status = 200;
    for (let now = began + HOUR; now < began + HOUR + 20 * MINUTE; now += MINUTE) await pass(now);

    expect(receiver.of(alert.id)).toMatchObject([{ type: 'alert.firing', value: 1 }]);
  });

  it('measure what they say, by all filters and groups, and exactly', async () => {
    const of = project();
    const now = Date.now();
    await record(of, 'a', [1, 2], now);
    await record(of, 'b', [4], now, { model: 'other' });
    const spans = [{ id: `${of}-failed`, trace_id: `trace-${ids}`, name: 'x', status: 'failed', error: 'x' }];
    const times = { started_at: new Date(now - 2_000).toISOString(), ended_at: new Date(now - 1_000).toISOString() };
    const kind = { type: 'llm_call', model: 'unknown', input_tokens: 100, output_tokens: 0 };
    expect(
      (await call(of, 'POST', '/api/ingest', { spans: spans.map((span) => ({ ...span, ...times, kind })) })).status,
    ).toBe(200);
    for (const [value, user] of [
      [1, 'a'],
      [0, 'a'],
      [1, 'b'],
    ] as const) {
      const { body } = await call<{ traces: { id: string }[] }>(of, 'GET', `/api/traces?user_id=${user}`);
      await made(of, '/api/scores', { name: 'good', value, trace_id: body.traces[0]!.id });
    }
    const measured = async (members: object) => {
      const rule = { name: 'm', window: '1h', condition: { op: '>', value: 1_000_000 }, ...members };
      const { id } = await made<AlertResource>(of, '/api/alerts', rule);
      const { status, body } = await call<AlertEvaluation>(of, 'POST', `/api/alerts/${id}/test`);
      expect([status, body]).toEqual([200, expect.anything()]);
      return [
        body.source,
        ...body.groups.map(({ key, value }) => (key === null ? value : `${key} ${value}`)).toSorted(),
      ];
    };
    const scored = { filters: { score_name: 'good' } };

    expect(await measured({ measure: 'cost' })).toEqual(['rollups', 7]);
    expect(await measured({ measure: 'tokens' })).toEqual(['rollups', 145]);
    expect(await measured({ measure: 'calls' })).toEqual(['rollups', 4]);
    expect(await measured({ measure: 'error_rate' })).toEqual(['rollups', 0.25]);
    expect(await measured({ measure: 'unpriced' })).toEqual(['rollups', 1]);
    const [, p95] = await measured({ measure: 'latency_p95' });
    expect(p95).toBeGreaterThan(979);
    expect(p95).toBeLessThan(1_021);
    expect(await measured({ measure: 'cost', group_by: 'model' })).toEqual(['rollups', 'm 3', 'other 4', 'unknown 0']);
    expect(await measured({ measure: 'cost', group_by: 'tag' })).toEqual(['spans', 't-a 3', 't-b 4']);
    expect(await measured({ measure: 'cost', group_by: 'session' })).toEqual(['spans', 's-a 3', 's-b 4']);
    expect(await measured({ measure: 'cost', filters: { model: 'other', provider: 'p' } })).toEqual(['rollups', 4]);
    for (const filters of [
      { user: 'a' },
      { session: 's-a' },
      { tag: 't-a' },
      { name: 'n-a' },
      { user: 'a', tag: 't-a' },
    ]) {
      expect(await measured({ measure: 'cost', filters })).toEqual(['spans', 3]);
      expect(await measured({ measure: 'score_mean', filters: { ...filters, ...scored.filters } })).toEqual([
        'scores',
        0.5,
      ]);
    }
    expect(await measured({ measure: 'score_pass_rate', ...scored })).toEqual(['scores', 2 / 3]);
    expect(await measured({ measure: 'score_mean', ...scored, group_by: 'user' })).toEqual(['scores', 'a 0.5', 'b 1']);
    expect(await measured({ measure: 'score_mean', ...scored, group_by: 'session' })).toEqual([
      'scores',
      's-a 0.5',
      's-b 1',
    ]);
    expect(await measured({ measure: 'score_mean', filters: { score_name: 'none' } })).toEqual(['scores', null]);
    expect(await measured({ measure: 'latency_p95', filters: { user: 'nobody' } })).toEqual(['spans', null]);
    const series = async (members: object): Promise<AlertSeries> => {
      const rule = { name: 's', window: '1h', condition: { op: '>', value: 1 }, enabled: false, ...members };
      const { id } = await made<AlertResource>(of, '/api/alerts', rule);
      return (await call<AlertSeries>(of, 'GET', `/api/alerts/${id}/series`)).body;
    };
    const byUser = await series({ measure: 'cost', group_by: 'user' });
    expect([byUser.step_ms, byUser.moments.length]).toEqual([HOUR, 48]);
    expect(Date.parse(byUser.moments[47]!) - Date.parse(byUser.moments[0]!)).toBe(47 * HOUR);
    const ends = byUser.series.map(({ key, values }) => [key, values.length, values.at(-2), values.at(-1)]);
    expect(ends).toEqual([
      ['b', 48, null, 4],
      ['a', 48, null, 3],
    ]);
    const daily = { window: '2d', condition: { change: '>', percent: 10, against: 'previous' } };
    const changes = await series({ measure: 'score_pass_rate', ...scored, ...daily });
    expect(changes.step_ms).toBe(24 * HOUR);
    expect(changes.series).toMatchObject([{ key: null, values: [...Array<null>(47).fill(null), 2 / 3] }]);
    const change = { condition: { change: '>', percent: 10, against: 'previous' } };
    expect(await measured({ measure: 'cost', ...change })).toEqual(['rollups', 7]);
  });

  it('show what evaluations find at moments up to now, measured a few at a time and each window once', async () => {
    const of = project();
    const now = Date.now();
    const hours = Array.from({ length: 48 }, (_, hour) => hour);
    for (const hour of hours) await record(of, 'a', [hour + 1], now - hour * HOUR);
    const measures = server.app.get(ReadMeasure);
    const read = measures.read.bind(measures);
    let [reading, most] = [0, 0];
    const watched = jest.spyOn(measures, 'read').mockImplementation(async (...args) => {
      most = Math.max(most, ++reading);
      return read(...args).finally(() => reading--);
    });
    const costs = hours.map((hour) => hour + 1).toReversed();
    const conditions = [
      { op: '>', value: 1_000 },
      { change: '>', percent: 1_000, against: 'previous' },
    ];
    for (const condition of conditions) {
      const rule = { name: 'hourly', measure: 'cost', window: '1h', condition, enabled: false };
      const { id } = await made<AlertResource>(of, '/api/alerts', rule);
      watched.mockClear();
      const { body } = await call<AlertSeries>(of, 'GET', `/api/alerts/${id}/series`);
      const changes = costs.map((cost, at) => (at === 0 || 'op' in condition ? null : -100 / (cost + 1)));
      expect(body.series.map(({ values }) => values)).toEqual([costs]);
      expect(body.series[0]!.change_percents).toEqual(changes.map((one) => one && expect.closeTo(one, 6)));
      expect(watched).toHaveBeenCalledTimes('op' in condition ? 48 : 49);
    }
    watched.mockRestore();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('say by themselves that a scoring rule scores nothing for ten minutes', async () => {
    const of = project();
    let isUp = false;
    const provider = await startScriptedProvider(() =>
      isUp ? said('{"score": 1, "reason": "x"}') : refused(401, 'no'),
    );
    const connection = await made<{ id: string }>(of, '/api/provider-connections', {
      ...{
        name: 'judge',
        provider: 'openai',
        api_key: 'sk-x',
        base_url: `${provider.url}/v1`,
        default_model: 'gpt-4o',
      },
    });
    const list = async () => (await call<{ alerts: AlertResource[] }>(of, 'GET', '/api/alerts')).body.alerts;
    const newRule = (members = {}) =>
      made<ScoringRuleResource>(of, '/api/scoring-rules', {
        ...{ name: 'helpful', scoring: 'LlmJudge', judge: { connection_id: connection.id }, ...members },
      });
    expect(await list()).toEqual([]);
    const rule = await newRule();
    await newRule({ name: 'off', enabled: false });
    const [alert, ...others] = await list();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      ...{
        measure: 'scoring_stalled',
        window: '10m',
        condition: { op: '>', value: 0 },
        enabled: true,
        channel_ids: [],
      },
    });

    const now = Date.now();
    await pass(now + 11 * MINUTE);
    expect(await read(of, alert!.id)).toMatchObject({ state: 'ok', last_value: 0 });
    await record(of, 'u', [1], now);
    await pass(now + 9 * MINUTE);
    expect(await read(of, alert!.id)).toMatchObject({ state: 'ok' });
    await pass(now + 15 * MINUTE);
    expect(await read(of, alert!.id)).toMatchObject({
      ...{ state: 'firing', last_value: 1 },
      explain: { source: 'scoring_rules', groups: [{ key: null, value: 1, count: 1 }] },
    });

    isUp = true;
    const scored = () => call<ScoringRuleResource>(of, 'GET', `/api/scoring-rules/${rule.id}`);
    await until(async () => (await scored()).body.scored_count === 1, 20_000);
    await pass(now + 17 * MINUTE);
    expect(await history(of, alert!.id)).toEqual([
      [null, 'firing', 'ok'],
      [null, 'ok', 'firing'],
      [null, 'no_data', 'ok'],
    ]);

    // What deletes it wants no other.
    await call(of, 'DELETE', `/api/alerts/${alert!.id}`);
    await call(of, 'DELETE', `/api/scoring-rules/${rule.id}`);
    await newRule({ name: 'next' });
    expect(await list()).toEqual([]);
    for (const [members, path] of [
      [{ filters: { model: 'm' } }, 'filters.model'],
      [{ group_by: 'user' }, 'group_by'],
      [{ condition: { change: '>', percent: 5, against: 'previous' } }, 'condition'],
    ] as const) {
      const asked = {
        name: 'a',
        measure: 'scoring_stalled',
        window: '10m',
        condition: { op: '>', value: 0 },
        ...members,
      };
      expect(await call(of, 'POST', '/api/alerts', asked)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    }
    await provider.close();
  });

  it('send the channels of a project whom a comment names, once, as far as its masked text goes', async () => {
    const of = LOCAL_SCOPE.projectId;
    const channel = await webhook(of, { secret: 'hush' });
    const silent = project();
    const { id: trace } = await made<{ id: string }>(of, '/api/traces', { id: 'order:1', name: 't' });
    const { id: span } = await made<{ id: string }>(of, '/api/spans', { trace_id: trace, name: 's' });
    const rules = [{ masker: 'email' }];
    expect((await call(of, 'PUT', '/api/projects/local/masking', { rules })).status).toBe(200);
    const target = { target_type: 'span', target_id: span };
    const text = `@ana, @bo: ask ann@people.example, not \`@code\` ${'x'.repeat(300)}`;
    const comment = await made<{ id: string; text: string }>(of, '/api/comments', { ...target, text });
    await made(of, '/api/comments', { ...target, text: 'names nobody: me@people.example' });
    const edited = await call(of, 'PUT', `/api/comments/${comment.id}`, { text: '@bo and now @cy' });
    expect(edited.status).toBe(200);
    await made(silent, '/api/traces', { id: 'quiet', name: 't' });
    await made(silent, '/api/comments', { target_type: 'trace', target_id: 'quiet', text: '@ana' });
    const path = `/api/alert-channels/${channel.id}/deliveries`;
    const deliveries = async () => (await call<{ deliveries: AlertDelivery[] }>(of, 'GET', path)).body.deliveries;
    await until(async () => (await deliveries()).every(({ status }) => status === 'delivered'));

    const sent = receiver.received
      .map(
        ({ text: json }) => JSON.parse(json) as { type: string; project_id: string; comment: Record<string, unknown> },
      )
      .filter(({ type }) => type === 'comment.mention');
    const url = `/traces/${encodeURIComponent(trace)}?span=${span}`;
    expect(sent).toMatchObject([
      { project_id: of, comment: { ...target, id: comment.id, names: ['ana', 'bo'], url, author: { id: 'local' } } },
      { project_id: of, comment: { names: ['cy'], text: '@bo and now @cy' } },
    ]);
    expect(comment.text).not.toContain('ann@people.example');
    expect(sent[0]!.comment['text']).toBe(comment.text.slice(0, 200));
    const delivered = { event: 'mention', alert_id: null, comment_id: comment.id, key: null, status: 'delivered' };
    expect(await deliveries()).toMatchObject([delivered, delivered]);
  });

  it('are nothing that comments need', async () => {
    const features = FEATURES.filter(({ name }) => name !== 'alerts' && name !== 'transfer');
    const app = await openInProcess({ database: await newDatabase('mentions_without_alerts'), features });
    try {
      const post = (path: string, body: object) => callInProcess(app.app, { method: 'POST', url: path, body });
      expect((await post('/api/traces', { id: 't', name: 't' })).status).toBe(201);
      const comment = { target_type: 'trace', target_id: 't', text: '@ana' };
      expect((await post('/api/comments', comment)).status).toBe(201);
      expect((await post('/api/alert-channels', {})).status).toBe(404);
    } finally {
      await app.close();
    }
  });

  it('are sent as Slack, Teams and mailboxes read them', async () => {
    const of = project();
    expect((await call(of, 'GET', '/api/capabilities')).body).toMatchObject({ alert_email: true });
    const slack = await made<AlertChannelResource>(of, '/api/alert-channels', {
      name: 's',
      kind: 'slack',
      url: `${url}/slack`,
    });
    const teams = await made<AlertChannelResource>(of, '/api/alert-channels', {
      name: 't',
      kind: 'teams',
      url: `${url}/teams`,
    });
    const email = await made<AlertChannelResource>(of, '/api/alert-channels', {
      name: 'e',
      kind: 'email',
      to: ['ops@example.com'],
    });
    const now = Date.now();
    await record(of, 'u', [1], now);
    const [before, mails] = [receiver.received.length, mail.length];
    await made<AlertResource>(of, '/api/alerts', {
      ...{ name: '<!channel> & co', measure: 'calls', window: '1h', condition: { op: '>', value: 0 } },
      ...{ channel_ids: [slack.id, teams.id, email.id] },
    });
    await pass(now + MINUTE + 10_000);
    // A new alert is evaluated at once in the background, too, which may be sending what it found.
    await until(async () => receiver.received.length >= before + 2 && mail.length > mails);

    const bodies = receiver.received.slice(before).map(({ text }) => JSON.parse(text) as Record<string, unknown>);
    expect(bodies.find(({ blocks }) => blocks)).toMatchObject({
      text: 'Firing: &lt;!channel&gt; &amp; co: 1 (calls in 1h &gt; 0), severity warning',
      blocks: [
        { type: 'header', text: { type: 'plain_text' } },
        { type: 'section', text: { type: 'mrkdwn' } },
      ],
    });
    expect(bodies.find(({ attachments }) => attachments)).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { type: 'AdaptiveCard', body: [{ text: 'Firing: <!channel> & co' }, {}] },
        },
      ],
    });
    expect(mail.at(-1)).toMatch(/^To: ops@example\.com$/m);
    expect(mail.at(-1)).toContain('1 (calls in 1h > 0), severity warning');

    for (const { id } of [slack, teams, email]) {
      const { body } = await call(of, 'POST', `/api/alert-channels/${id}/test`);
      expect(body).toMatchObject({ ok: true, error: null });
    }
    await call(of, 'PUT', `/api/alert-channels/${slack.id}`, { url: 'http://127.0.0.1:1/closed' });
    const { body } = await call(of, 'POST', `/api/alert-channels/${slack.id}/test`);
    expect(body).toMatchObject({ ok: false, status: null, error: expect.stringContaining('http://127.0.0.1:1') });
  });

  it('are kept as the first finds them of two evaluations, where one takes longer than a minute', async () => {
    const of = project();
    const rule = { name: 'slow', measure: 'calls', window: '1h', condition: { op: '>', value: 0 } };
    const { id } = await made<AlertResource>(of, '/api/alerts', rule);
    await until(async () => (await read(of, id)).state === 'ok');
    const measures = server.app.get(ReadMeasure);
    const measure = measures.read.bind(measures);
    const held: (() => void)[] = [];
    const spy = jest.spyOn(measures, 'read').mockImplementation((scope, ...asked) => {
      if (scope.projectId !== of) return measure(scope, ...asked);
      return new Promise((resolve) => held.push(() => resolve([{ key: null, value: 5, count: 5 }])));
    });
    const now = Date.now() + 9 * HOUR;
    const evaluations: Promise<void>[] = [];
    for (const at of [now, now + MINUTE]) {
      evaluations.push(server.app.get(EvaluateAlerts).evaluateDue(() => at));
      await until(() => held.length === evaluations.length);
    }
    held[0]!();
    await evaluations[0];
    expect((await read(of, id)).state).toBe('firing');
    held[1]!();
    await evaluations[1];
    spy.mockRestore();
    expect(await history(of, id)).toEqual([
      [null, 'ok', 'firing'],
      [null, 'no_data', 'ok'],
    ]);
    await call(of, 'DELETE', `/api/alerts/${id}`);
  });

  it('are evaluated at once when they come back, whatever their file says of when they were changed', async () => {
    const of = project();
    const times = { created_at: '2099-01-01T00:00:00.000Z', updated_at: '2099-01-01T00:00:00.000Z' };
    const rule = { id: 'restored', name: 'r', measure: 'calls', window: '1h', condition: { op: '>', value: 0 } };
    const file = { version: 1, alerts: [{ ...rule, ...times }] };
    expect((await call(of, 'POST', '/api/import/json', file)).body).toMatchObject({ rejected: [] });
    await pass(Date.now());
    expect((await read(of, 'restored')).state).toBe('ok');
    await call(of, 'DELETE', '/api/alerts/restored');
  });

  it('are evaluated by one of two instances', async () => {
    if (!second) return;
    const of = project();
    const channel = await webhook(of);
    const now = Date.now() + 10 * HOUR;
    await record(of, 'u', [1], now);
    const made100 = Array.from({ length: 30 }, (_, index) =>
      made<AlertResource>(of, '/api/alerts', {
        ...{
          name: `a${index}`,
          measure: 'calls',
          window: '1h',
          condition: { op: '>', value: 0 },
          channel_ids: [channel.id],
        },
      }),
    );
    const alerts = await Promise.all(made100);
    for (let at = now; at < now + 5 * MINUTE; at += MINUTE) {
      await Promise.all([server, second].map(({ app }) => app.get(EvaluateAlerts).evaluateDue(() => at)));
      await Promise.all([server, second].map(({ app }) => app.get(DeliverAlerts).deliverDue(() => at)));
    }

    for (const { id } of alerts) expect(receiver.of(id).map(({ type }) => type)).toEqual(['alert.firing']);
  });
});

/** A mail server that takes everything. @param mail what it was sent. */
function startSmtp(mail: string[]): TcpServer {
  return createTcpServer((socket) => {
    let [text, isData] = ['', false];
    socket.setEncoding('utf8').on('error', () => undefined);
    socket.write('220 test\r\n');
    socket.on('data', (piece: string) => {
      text += piece;
      for (
        let end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        end !== -1;
        end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n')
      ) {
        const line = text.slice(0, end);
        text = text.slice(end + (isData ? 5 : 2));
        if (isData) {
          mail.push(line.replaceAll('\r\n', '\n'));
          isData = false;
          socket.write('250 ok\r\n');
        } else if (line === 'DATA') {
          isData = true;
          socket.write('354 go\r\n');
        } else if (line === 'QUIT') socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
  });
}
