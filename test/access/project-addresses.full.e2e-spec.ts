/** One browser in several projects of a person at once (docs/spec/sign-in.md#addresses-of-a-project). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  AuditEntry,
  BrowserSessionResource,
  KeyCreated,
  MemberResource,
  Problem,
  ProjectResource,
  Role,
} from '@spandrel/contract';
import { OpenApi } from '@spandrel/http';
import { EventClient } from '../events/event-client.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { signInAs } from '../support/person.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';
import { bodyFor, routesOf } from './cloud-request.ts';

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;
let foreign: Tenant;
/** Two projects of one organization; `closed` is a third, in which nobody but keys may do anything. */
let second: ProjectResource;
let closed: ProjectResource;
let secondKey: string;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'project_addresses'));
  [tenant, foreign] = await Promise.all([app.createTenant({ name: 'Ours' }), app.createTenant({ name: 'Theirs' })]);
  const make = async (name: string) =>
    (await tenant.api.post<ProjectResource>(`/api/orgs/${tenant.org.id}/projects`, { name })).body;
  [second, closed] = [await make('Second'), await make('Closed')];
  const key = { name: 'of the second', scopes: ['read', 'write', 'admin', 'ingest'], project_id: second.id };
  secondKey = (await app.api.post<KeyCreated>('/api/keys', key)).body.key;
  await tenant.api.post('/api/traces', { name: 'of the first' });
  await app.anonymous.as(secondKey).post('/api/traces', { name: 'of the second' });
  await foreign.api.post('/api/traces', { name: 'of theirs' });
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const clients: EventClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

type Headers = Readonly<Record<string, string>>;

let people = 0;

/** A person with roles in projects, signed in in the first of them. */
async function person(roles: Readonly<Record<string, Role>>) {
  const email = `p${people++}@people.example`;
  const members: MemberResource[] = [];
  for (const [project_id, role] of Object.entries(roles)) {
    const { body } = await app.api.post<MemberResource>(`/api/orgs/${tenant.org.id}/members`, {
      email,
      role,
      project_id,
    });
    members.push(body);
  }
  const headers = await signInAs(app, email);
  const project_id = members[0]!.project_id!;
  const { headers: answered } = await app.anonymous.send('PATCH', '/api/session', { project_id }, headers);
  return { headers: { ...headers, cookie: answered.get('set-cookie')!.split(';')[0]! }, members };
}

/** Asks under the address of a project; such paths are in no document. */
const ask = <Body = Problem>(project: string, method: string, path: string, headers: Headers, body?: unknown) =>
  app.anonymous.unchecked.send<Body>(method, `/p/${project}/api${path}`, body, headers);
const names = async (project: string, headers: Headers): Promise<string[]> =>
  (await ask<{ traces: { name: string }[] }>(project, 'GET', '/traces', headers)).body.traces.map(({ name }) => name);
const outcome = async (project: string, headers: Headers, method = 'GET', path = '/traces', body?: unknown) => {
  const { status, body: answered } = await ask(project, method, path, headers, body);
  return [status, answered.code];
};

const NOT_THERE = [404, 'project_not_found'];

describe('a person', () => {
  it('is in each of their projects at once, with the role there, and in no other', async () => {
    const { headers } = await person({ [tenant.project.id]: 'editor', [second.id]: 'viewer' });
    const asked = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? tenant.project.id : second.id));
    const seen = await Promise.all(asked.map((project) => names(project, headers)));
    for (const [n, project] of asked.entries()) {
      expect([n, seen[n]]).toEqual([n, [project === second.id ? 'of the second' : 'of the first']]);
    }
    const session = async (project: string) =>
      (await ask<BrowserSessionResource>(project, 'GET', '/session', headers)).body;
    expect(await session(tenant.project.id)).toMatchObject({ project: { name: 'Ours' }, role: 'editor' });
    expect(await session(second.id)).toMatchObject({ project: { name: 'Second' }, role: 'viewer', scopes: ['read'] });
    const named = { name: 'written' };
    const written = await ask<{ id: string }>(tenant.project.id, 'POST', '/traces', headers, named);
    expect(written.status).toBe(201);
    expect(await outcome(second.id, headers, 'POST', '/traces', named)).toEqual([403, 'insufficient_scope']);
    expect(await outcome(second.id, headers, 'GET', `/traces/${written.body.id}`)).toEqual([404, 'trace_not_found']);
    expect((await tenant.api.delete(`/api/traces/${written.body.id}`)).status).toBe(200);
    for (const project of [closed.id, foreign.project.id, 'nothing', `${second.id}x`, `..%2f${second.id}`]) {
      expect([project, await outcome(project, headers)]).toEqual([project, NOT_THERE]);
    }
    const twice = await fetch(`${app.url}/p/${second.id}/p/${tenant.project.id}/api/traces`, { headers });
    expect(twice.headers.get('content-type')).toContain('text/html');
    // Without a project it is that of the session, as ever.
    const short = await app.anonymous.send<{ traces: { name: string }[] }>('GET', '/api/traces', undefined, headers);
    expect(short.body.traces.map(({ name }) => name)).toEqual(['of the first']);
  });

  it('finds nothing of another project behind any route', async () => {
    const { headers } = await person({ [tenant.project.id]: 'editor', [second.id]: 'editor' });
    // Exports of OpenTelemetry take no cookie.
    const routes = routesOf(app.app.get(OpenApi).document).filter(
      ({ open, path }) => !open && path.startsWith('/api/') && !path.includes('/otel/'),
    );
    expect(routes.length).toBeGreaterThan(100);
    const before = await foreign.api.traces();
    for (const { id, method, path } of routes) {
      const concrete = path.slice('/api'.length).replaceAll(/\{\w+\}/g, 'x');
      for (const project of [closed.id, foreign.project.id]) {
        const found = await outcome(project, headers, method, concrete, bodyFor(method));
        expect([id, found]).toEqual([id, NOT_THERE]);
      }
    }
    expect(await foreign.api.traces()).toEqual(before);
  });

  it('has its requests counted and its acts noted in the project of the address', async () => {
    const { headers } = await person({ [tenant.project.id]: 'editor', [second.id]: 'editor' });
    expect((await app.api.patch(`/api/projects/${second.id}`, { rate_limit: 77_777 })).status).toBe(200);
    const policy = async (project: string) =>
      (await ask(project, 'GET', '/traces', headers)).headers.get('ratelimit-policy');
    expect(await policy(second.id)).toContain('"project";q=77777');
    expect(await policy(tenant.project.id)).not.toContain('77777');
    const view = { name: 'x', page: 'traces', query: '' };
    const made = await ask<{ id: string }>(second.id, 'POST', '/views', headers, view);
    expect((await ask(second.id, 'DELETE', `/views/${made.body.id}`, headers)).status).toBe(200);
    const { body: log } = await app.anonymous.as(secondKey).get<{ entries: AuditEntry[] }>('/api/audit-log');
    const noted = log.entries.find(({ target_id: target }) => target === made.body.id);
    expect(noted).toMatchObject({ action: 'view.deleted', project_id: second.id });
  });

  it('loses the stream, the pages and nothing else with the role in one project', async () => {
    const { headers, members } = await person({ [tenant.project.id]: 'viewer', [second.id]: 'viewer' });
    const listen = async (project: string) => {
      const client = await EventClient.open(`${app.url}/p/${project}`, { headers });
      clients.push(client);
      return client;
    };
    const [first, other] = [await listen(tenant.project.id), await listen(second.id)];
    await tenant.api.post('/api/traces', { name: 'heard in the first' });
    await app.anonymous.as(secondKey).post('/api/traces', { name: 'heard in the second' });
    const heard = (client: EventClient) =>
      client.payloads.map((event) => (event.type === 'trace_created' ? event.trace.name : event.type));
    await Promise.all([first.has(1), other.has(1)]);
    expect([heard(first), heard(other)]).toEqual([['heard in the first'], ['heard in the second']]);

    // The session was begun in the first project.
    await app.api.delete(`/api/orgs/${tenant.org.id}/members/${members[0]!.id}`);
    await until(() => !first.isOpen);
    expect(await outcome(tenant.project.id, headers)).toEqual(NOT_THERE);
    expect(await outcome(tenant.project.id, headers, 'GET', '/session')).toEqual(NOT_THERE);
    await app.anonymous.as(secondKey).post('/api/traces', { name: 'goes on' });
    await other.has(2);
    expect(heard(other).at(-1)).toBe('goes on');
    expect((await ask(second.id, 'GET', '/traces', headers)).status).toBe(200);
    await app.api.delete(`/api/orgs/${tenant.org.id}/members/${members[1]!.id}`);
    await until(() => !other.isOpen);
    expect(await outcome(second.id, headers)).toEqual([401, 'unauthenticated']);
  });

  it('stays signed in for their other projects when that is deleted in which the session began', async () => {
    const made = { name: 'Going' };
    const { body: going } = await tenant.api.post<ProjectResource>(`/api/orgs/${tenant.org.id}/projects`, made);
    const { headers } = await person({ [going.id]: 'editor', [second.id]: 'viewer' });
    const alone = await person({ [going.id]: 'editor' });
    const client = await EventClient.open(`${app.url}/p/${second.id}`, { headers });
    clients.push(client);
    expect((await tenant.api.delete(`/api/projects/${going.id}`)).status).toBe(202);
    expect(await outcome(going.id, headers)).toEqual(NOT_THERE);
    const isGone = async () => (await tenant.api.get(`/api/projects/${going.id}`)).status === 404;
    await until(isGone);
    expect((await ask(second.id, 'GET', '/traces', headers)).status).toBe(200);
    const { body: short } = await app.anonymous.send<BrowserSessionResource>('GET', '/api/session', undefined, headers);
    expect(short).toMatchObject({ project: { name: 'Second' }, role: 'viewer' });
    await app.anonymous.as(secondKey).post('/api/traces', { name: 'after the other project' });
    await client.has(1);
    expect(await outcome(going.id, alone.headers)).toEqual([401, 'unauthenticated']);
  });

  it('stays signed in when an organization is deleted, too', async () => {
    const third = await app.createTenant({ name: 'Third' });
    const { headers, members } = await person({ [second.id]: 'viewer' });
    const email = members[0]!.email!;
    await app.api.post(`/api/orgs/${third.org.id}/members`, { email, role: 'admin' });
    const place = { project_id: third.project.id };
    // The role becomes the person's when they sign in.
    const again = await signInAs(app, email);
    const { headers: answered } = await app.anonymous.send('PATCH', '/api/session', place, again);
    const cookie = { ...headers, cookie: answered.get('set-cookie')!.split(';')[0]! };
    expect((await ask(third.project.id, 'GET', '/traces', cookie)).status).toBe(200);
    expect((await app.api.delete(`/api/orgs/${third.org.id}`)).status).toBe(202);
    expect(await outcome(third.project.id, cookie)).toEqual(NOT_THERE);
    await until(async () => (await app.api.get(`/api/orgs/${third.org.id}`)).status === 404, 20_000);
    expect((await ask(second.id, 'GET', '/traces', cookie)).status).toBe(200);
  });

  it('is not lent to pages from elsewhere', async () => {
    const { headers } = await person({ [tenant.project.id]: 'editor', [second.id]: 'editor' });
    const elsewhere = { ...headers, 'sec-fetch-site': 'cross-site' };
    const act = await outcome(second.id, elsewhere, 'POST', '/traces', { name: 'planted' });
    expect(act).toEqual([403, 'host_not_allowed']);
    expect(await outcome(second.id, elsewhere)).toEqual([401, 'unauthenticated']);
    expect(await outcome(second.id, { cookie: headers.cookie }, 'POST', '/traces', {})).toEqual([
      403,
      'host_not_allowed',
    ]);
  });
});

describe('a credential of one project', () => {
  it('is refused under the address of another, as is the session that it began', async () => {
    const page = { 'sec-fetch-site': 'same-origin' };
    const { headers } = await app.anonymous.send('POST', '/api/session', { credential: tenant.key }, page);
    const cookie = { ...page, cookie: headers.get('set-cookie')!.split(';')[0]! };
    for (const proof of [{ authorization: `Bearer ${tenant.key}` }, cookie]) {
      expect(await names(tenant.project.id, proof)).toContain('of the first');
      expect(await outcome(second.id, proof)).toEqual(NOT_THERE);
      expect(await outcome(foreign.project.id, proof)).toEqual(NOT_THERE);
      expect(await outcome(second.id, proof, 'GET', '/session')).toEqual(NOT_THERE);
    }
    expect(await outcome(tenant.project.id, app.api.headers, 'GET', '/credential')).toEqual(NOT_THERE);
  });

  it('is asked for as everywhere', async () => {
    expect(await outcome(second.id, {})).toEqual([401, 'unauthenticated']);
    expect(await outcome(second.id, { authorization: 'Bearer wrong' })).toEqual([401, 'unauthenticated']);
    const { body } = await ask<BrowserSessionResource>(second.id, 'GET', '/session', {});
    expect(body).toMatchObject({ signed_in: false });
  });
});
