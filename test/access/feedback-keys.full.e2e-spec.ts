/** Keys that web pages hold (docs/spec/access.md#feedback-keys), in cloud mode. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ScoreResource } from '@spandrel/contract';
import { AccessSettings } from '../../libs/access/src/access.settings.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import type { Tenant } from '../support/tenant.ts';

const HOUR_MS = 3_600_000;
const PAGE = 'https://shop.example';
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;
let key: { id: string; key: string };

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'feedback_keys'), {
    settings: (settings) => void (settings.of(AccessSettings).feedbackOrigins = [PAGE]),
  });
  tenant = await app.createTenant();
  key = await tenant.createKey(['feedback']);
  const other = await app.createTenant({ name: 'Other' });
  await other.api.post('/api/ingest', { traces: [{ id: 'theirs' }] });
  const { body } = await tenant.api.post<{ rejected: object[] }>('/api/ingest', {
    traces: [
      { id: 'young', started_at: ago(23) },
      { id: 'old', started_at: ago(25), session_id: 'chat' },
      { id: 'again', started_at: ago(1), session_id: 'chat' },
      { id: 'over', started_at: ago(30), session_id: 'over' },
    ],
    spans: [
      { id: 'young-span', trace_id: 'young', name: 'call', started_at: ago(22) },
      { id: 'late-span', trace_id: 'old', name: 'call', started_at: ago(1) },
    ],
  });
  expect(body.rejected).toEqual([]);
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const send = async (body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(`${app.url}/api/scores`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key.key}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as ScoreResource };
};

it('send scores of end users on traces, spans and sessions of the last day, whatever the body says', async () => {
  for (const target of [{ trace_id: 'young' }, { span_id: 'young-span' }, { session_id: 'chat' }]) {
    const { status, body } = await send({ name: 'thumb', value: 1, ...target });
    expect([status, body]).toMatchObject([201, { source: 'end_user', author: key.id, value: 1, ...target }]);
    const forged = await send({ name: 'thumb', label: 'up', source: 'human', author: 'ada', ...target });
    expect([forged.status, forged.body]).toMatchObject([201, { source: 'end_user', author: key.id }]);
  }
});

it('keep metadata that are short', async () => {
  const sent = (length: number) =>
    send({ name: 'thumb', value: 1, trace_id: 'young', metadata: { page: 'p'.repeat(length) } });
  expect([(await sent(4_000)).status, (await sent(4_100)).status]).toEqual([201, 400]);
});

it.each([
  ['an older trace', { trace_id: 'old' }, 403, 'insufficient_scope'],
  ['a span of an older trace', { span_id: 'late-span' }, 403, 'insufficient_scope'],
  ['an older session', { session_id: 'over' }, 403, 'insufficient_scope'],
  ["another project's trace", { trace_id: 'theirs' }, 404, 'trace_not_found'],
])('are refused for %s', async (_what, target, status, code) => {
  expect(await send({ name: 'thumb', value: 1, ...target })).toMatchObject({ status, body: { code } });
});

it('do nothing else, and sign nobody in', async () => {
  const { body } = await send({ name: 'thumb', value: 1, trace_id: 'young' });
  const api = app.anonymous.as(key.key);
  const tried = await Promise.all([
    api.get('/api/scores'),
    api.get(`/api/scores/${body.id}`),
    api.send('PUT', `/api/scores/${body.id}`, { value: 0 }),
    api.delete(`/api/scores/${body.id}`),
    api.post('/api/ingest', { scores: [] }),
    api.get('/api/traces'),
    api.get('/api/credential'),
    api.get('/api/capabilities'),
    api.post('/mcp', {}),
    app.anonymous.post('/api/session', { credential: key.key }),
  ]);
  expect(tried.map(({ status }) => status)).toEqual(tried.map(() => 403));
});

it('have this scope alone, and are made by those who may write scores', async () => {
  const make = (scopes: string[]) => tenant.api.post('/api/keys', { name: 'page', scopes });
  expect(await make(['feedback', 'read'])).toMatchObject({ status: 400, body: { errors: [{ path: 'scopes' }] } });
  expect(await make(['feedback', 'feedback'])).toMatchObject({ status: 201, body: { scopes: ['feedback'] } });
});

it('work in pages of the chosen origins, by CORS, on this route alone', async () => {
  const preflight = (origin: string, path = '/api/scores') =>
    fetch(app.url + path, {
      method: 'OPTIONS',
      headers: {
        ...{ origin, 'access-control-request-method': 'POST' },
        'access-control-request-headers': 'authorization,content-type',
      },
    });
  const allowed = await preflight(PAGE);
  expect(allowed.status).toBe(204);
  expect(Object.fromEntries(allowed.headers)).toMatchObject({
    ...{ 'access-control-allow-origin': PAGE, 'access-control-allow-methods': 'POST', vary: 'origin' },
    'access-control-allow-headers': expect.stringContaining('authorization'),
    'cross-origin-resource-policy': 'cross-origin',
  });
  for (const refused of [
    await preflight('https://elsewhere.example'),
    await preflight(PAGE, '/api/traces'),
    await preflight(PAGE, '/api/scores/some'),
  ]) {
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    expect(refused.status).toBe(401);
  }
  const thumb = { name: 'thumb', value: 1, trace_id: 'young' };
  for (const [headers, status] of [
    [{ origin: PAGE }, 201],
    [{ origin: PAGE, authorization: 'Bearer wrong' }, 401],
    [{ origin: PAGE, authorization: `Bearer ${tenant.key}` }, 201],
  ] as const) {
    const answer = await send(thumb, headers);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, PAGE]);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  }
  expect(
    (await send(thumb, { origin: 'https://elsewhere.example' })).headers.get('access-control-allow-origin'),
  ).toBeNull();
});
