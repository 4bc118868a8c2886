/**
 * Every route with every role (docs/spec/people.md#what-each-role-may). The table of the page is made of what stands beside the
 * routes; `WRITE_ROLE_TABLE=1` writes it again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROLES, type MemberResource, type QueueItemResource, type Role } from '@spandrel/contract';
import { OpenApi } from '@spandrel/http';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { isThirdPartyPath } from '../support/otlp-path.ts';
import { signInAs } from '../support/person.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';
import { bodyFor } from './cloud-request.ts';
import { rolesOf, roleTable, tableIn } from './role-table.ts';

type RouteFacts = OpenApi['routes'][number];

const PAGE = 'docs/spec/people.md';
/** Bodies that would change something if the object were one's own. */
const VALID: Readonly<Record<string, unknown>> = {
  updateOrganization: { name: 'Taken' },
  createProject: { name: 'Taken' },
  updateProject: { name: 'Taken' },
  createMember: { email: 'taken@people.example', role: 'viewer' },
  updateMember: { role: 'editor' },
  putMasking: { rules: [] },
  previewMasking: { text: 'x', rules: [] },
};
const HEADING = '## What each role may\n';

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;
let routes: readonly RouteFacts[];
let members: string;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'roles'));
  tenant = await app.createTenant();
  members = `/api/orgs/${tenant.org.id}/members`;
  ({ routes } = app.app.get(OpenApi));
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const add = async (email: string, role: Role, project_id?: string): Promise<MemberResource> => {
  const { status, body } = await app.api.post<MemberResource>(members, { email, role, project_id: project_id ?? null });
  expect(status).toBe(201);
  return body;
};

/** What is answered to a request that names nothing that exists, and whose body is empty. */
async function statusOf({ method, path, operation }: RouteFacts, headers: Record<string, string>): Promise<number> {
  // A stream would go on.
  const sent = operation.id === 'listenToEvents' ? 'HEAD' : method.toUpperCase();
  const body = operation.id === 'createOrganization' ? { name: 'x' } : bodyFor(sent);
  // Whether only the operator may is said of an organization that is there.
  const id = operation.id === 'deleteOrganization' ? tenant.org.id : 'nothing';
  const response = await fetch(app.url + path.replace(/\{\w+\}/g, id), {
    method: sent,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.text();
  return response.status;
}

describe('the table of roles', () => {
  it('stands in the specification as it is', () => {
    const table = roleTable(routes);
    const text = readFileSync(PAGE, 'utf8');
    if (process.env['WRITE_ROLE_TABLE'] === '1') {
      const [before = '', behind = ''] = text.split(HEADING);
      const [section = '', ...rest] = behind.split('\n## ');
      const intro = section.split('\n|')[0]!.trim();
      writeFileSync(PAGE, `${before}${HEADING}\n${[`${intro}\n\n${table.join('\n')}\n`, ...rest].join('\n## ')}`);
      return;
    }
    expect(tableIn(text.split(HEADING)[1]!.split('\n## ')[0]!)).toEqual(table);
  });

  const held = ROLES.flatMap((role) => [
    { role, where: 'the organization' },
    // Owners and administrators are so of the whole organization.
    ...(role === 'owner' || role === 'admin' ? [] : [{ role, where: 'one project' }]),
  ]);

  it.each(held)('holds for $role of $where at every route', async ({ role, where }) => {
    const email = `${role}-of-${where.replace(' ', '-')}@people.example`;
    await add(email, role, where === 'one project' ? tenant.project.id : undefined);
    const headers = await signInAs(app, email);
    // Takes the session itself away, so that it comes last.
    const last = (route: RouteFacts): number => Number(route.operation.id === 'deleteBrowserSession');
    // Exporters and agents send no cookies (docs/spec/otlp.md#credentials, docs/spec/mcp.md#access).
    const tried = routes
      .filter(({ path, operation }) => !isThirdPartyPath(path) && operation.access !== 'open')
      .toSorted((a, b) => last(a) - last(b));
    expect(tried.length).toBeGreaterThan(80);
    const faults: string[] = [];
    for (const route of tried) {
      const status = await statusOf(route, headers);
      const isAllowed = route.operation.access === 'anyone' || rolesOf(route).includes(role);
      if ((status !== 403) !== isAllowed || status === 401 || status >= 500)
        faults.push(`${route.method} ${route.path}: ${status}`);
    }
    expect(faults).toEqual([]);
  });
});

describe('a person', () => {
  const headersOf = async (role: Role, email: string): Promise<Record<string, string>> => {
    await add(email, role);
    return signInAs(app, email);
  };

  it.each(['owner', 'admin'] as const)('who is %s reaches nothing of another organization by its id', async (role) => {
    const other = await app.createTenant({ name: 'Theirs' });
    const { body: key } = await other.api.post<{ id: string }>('/api/keys', { name: 'theirs', scopes: ['read'] });
    const theirs = await app.api.post<MemberResource>(`/api/orgs/${other.org.id}/members`, {
      ...{ email: 'somebody@theirs.example', role: 'viewer' },
    });
    const headers = await headersOf(role, `${role}-at-the-fence@people.example`);
    const ids: Record<string, string> = { member_id: theirs.body.id };
    const idIn = (path: string): string =>
      path.startsWith('/api/orgs/') ? other.org.id : path.startsWith('/api/keys/') ? key.id : other.project.id;
    const administered = routes.filter(({ path }) => /^\/api\/(orgs|projects|keys)\/\{/.test(path));
    expect(administered.length).toBeGreaterThan(10);
    for (const { path, method, operation } of administered) {
      const address = path.replace(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? idIn(path));
      const body = VALID[operation.id];
      const { status } = await app.anonymous.unchecked.send(method.toUpperCase(), address, body, headers);
      expect([`${method} ${path}`, status]).toEqual([`${method} ${path}`, 404]);
    }
    expect((await other.api.get<{ count: number }>(`/api/orgs/${other.org.id}/members`)).body.count).toBe(1);
    const { body: projects } = await app.anonymous.send<{ projects: object[] }>(
      ...(['GET', '/api/session/projects', undefined, headers] as const),
    );
    expect(projects.projects).toMatchObject([{ org: { id: tenant.org.id } }]);
  });

  it('gives nobody more than they have, and the last owner stays', async () => {
    const { org } = await app.createTenant({ name: 'Of its own' });
    const path = `/api/orgs/${org.id}/members`;
    const people: Record<string, { id: string; headers: Record<string, string> }> = {};
    for (const role of ['owner', 'admin', 'editor'] as const) {
      const email = `${role}@own.example`;
      const { body } = await app.api.post<MemberResource>(path, { email, role });
      people[role] = { id: body.id, headers: await signInAs(app, email) };
    }
    const send = async (who: string, method: string, address: string, body?: unknown) => {
      const answer = await app.anonymous.send<{ code: string }>(method, address, body, people[who]!.headers);
      return answer.status >= 400 ? answer.body.code : answer.status;
    };
    const newOwner = { email: 'heir@own.example', role: 'owner' };
    const key = { name: 'way up', scopes: ['admin'] };
    const owner = `${path}/${people['owner']!.id}`;
    expect([
      await send('editor', 'POST', '/api/keys', key),
      await send('editor', 'POST', path, newOwner),
      await send('admin', 'POST', path, newOwner),
      await send('admin', 'PATCH', `${path}/${people['admin']!.id}`, { role: 'owner' }),
      await send('admin', 'DELETE', owner),
    ]).toEqual(Array.from({ length: 5 }, () => 'insufficient_scope'));
    expect(await send('admin', 'POST', '/api/keys', key)).toBe(201);
    expect(await send('owner', 'DELETE', owner)).toBe('last_owner');
    expect(await send('owner', 'PATCH', owner, { role: 'admin' })).toBe('last_owner');
    expect(await send('owner', 'PATCH', owner, { role: 'owner' })).toBe(200);
    expect(await send('owner', 'POST', path, newOwner)).toBe(201);
    expect(await send('owner', 'DELETE', owner)).toBe(200);
  });

  it('is named by items that they claim, and so is a key', async () => {
    const headers = await headersOf('reviewer', 'grace@people.example');
    const { body: dataset } = await tenant.api.post<{ id: string }>('/api/datasets', { name: 'x' });
    const kind = { Generic: { input: 'x' } };
    const { body: first } = await tenant.api.post<{ id: string }>(`/api/datasets/${dataset.id}/datapoints`, { kind });
    const { body: second } = await tenant.api.post<{ id: string }>(`/api/datasets/${dataset.id}/datapoints`, { kind });
    await tenant.api.post(`/api/datasets/${dataset.id}/queue`, { datapoint_ids: [first.id, second.id] });
    const next = `/api/datasets/${dataset.id}/queue/next`;
    const claimed = (await app.anonymous.send<QueueItemResource>('POST', next, {}, headers)).body;
    expect(claimed).toMatchObject({ claimed_by: (await personOf(headers)).id, claimed_by_name: 'grace' });
    await tenant.api.post(next, {});
    const { body: queue } = await tenant.api.get<{ items: object[] }>(`/api/datasets/${dataset.id}/queue`);
    expect(queue.items).toMatchObject([
      { id: claimed.id, claimed_by_name: 'grace' },
      { claimed_by: tenant.keyId, claimed_by_name: 'Tenant' },
    ]);
    const { body: released } = await tenant.api.post<QueueItemResource>(`/api/queue/${claimed.id}/release`);
    expect(released).toMatchObject({ claimed_by: null, claimed_by_name: null });
    const { body: named } = await tenant.api.post(`/api/queue/${claimed.id}/claim`, { claimed_by: 'Ada' });
    expect(named).toMatchObject({ claimed_by: 'Ada', claimed_by_name: null });
  });

  it('is assigned by id or address, and nobody who may not review there', async () => {
    const headers = await headersOf('reviewer', 'judith@people.example');
    const { id } = await personOf(headers);
    await headersOf('viewer', 'looks@people.example');
    await tenant.api.post('/api/traces', { id: 'assigned' });
    const enqueue = (names: object) =>
      tenant.api.post<{ items: QueueItemResource[]; errors: object[] }>('/api/queue', {
        ...{ trace_ids: ['assigned'], reviews_required: 2, adjudicate: 'disagree' },
        ...names,
      });
    const refused = await enqueue({
      assignees: ['Judith@people.example', 'looks@people.example', tenant.keyId],
      adjudicators: ['nobody'],
    });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [
        { path: 'assignees[1]', message: expect.stringContaining('looks@people.example') },
        { path: 'adjudicators[0]', message: expect.stringContaining('nobody') },
      ],
    ]);
    expect((await tenant.api.get<{ count: number }>('/api/queue?trace_id=assigned')).body.count).toBe(0);
    const { body: made } = await enqueue({
      assignees: ['Judith@people.example', id, tenant.keyId],
      adjudicators: [id],
    });
    expect(made.items[0]).toMatchObject({ assignees: [id, tenant.keyId], adjudicators: [id] });
    const { body: claimed } = await app.anonymous.send<QueueItemResource>('POST', '/api/queue/next', {}, headers);
    expect(claimed).toMatchObject({ trace_id: 'assigned', claimed_by: id });
    // What a browser says of itself counts in local mode alone.
    await app.anonymous.send('POST', `/api/queue/${claimed.id}/submit`, { comment: 'mine' }, headers);
    const read = (query: string) => tenant.api.get<QueueItemResource>(`/api/queue/${claimed.id}${query}`);
    expect((await read(`?reviewer=${id}`)).body.comment).toBeNull();
  });

  const personOf = async (headers: Record<string, string>) =>
    (await app.anonymous.send<{ person: { id: string } }>('GET', '/api/session', undefined, headers)).body.person;
});

describe('a role', () => {
  const reported = async (headers: Record<string, string>) =>
    (await app.anonymous.send<Record<string, unknown>>('GET', '/api/session', undefined, headers)).body;

  it('is shown to the browser, with who it is', async () => {
    await add('reader@people.example', 'reviewer');
    expect(await reported(await signInAs(app, 'Reader@people.example'.toLowerCase()))).toMatchObject({
      ...{ kind: 'person', role: 'reviewer', scopes: ['read', 'review'], signed_in: true },
      person: { id: expect.any(String), name: 'reader', email: 'reader@people.example' },
    });
  });

  it('that is changed or taken away counts at once in a session that is open', async () => {
    const { id } = await add('fading@people.example', 'editor');
    const headers = await signInAs(app, 'fading@people.example');
    const post = async () => (await app.anonymous.send('POST', '/api/traces', {}, headers)).status;
    expect(await post()).toBe(201);
    await app.api.patch(`${members}/${id}`, { role: 'viewer' });
    await until(async () => (await post()) === 403);
    await app.api.delete(`${members}/${id}`);
    await until(async () => (await post()) === 401);
  });

  it('of a reviewer leaves datapoints as they are', async () => {
    await add('careful@people.example', 'reviewer');
    const headers = await signInAs(app, 'careful@people.example');
    const { body: dataset } = await tenant.api.post<{ id: string }>('/api/datasets', { name: 'x' });
    const { body: point } = await tenant.api.post<{ id: string }>(`/api/datasets/${dataset.id}/datapoints`, {
      kind: { Generic: { input: 'x' } },
    });
    await tenant.api.post(`/api/datasets/${dataset.id}/queue`, { datapoint_ids: [point.id] });
    const send = (path: string, body: unknown) => app.anonymous.send<{ id: string }>('POST', path, body, headers);
    const { status, body: item } = await send(`/api/datasets/${dataset.id}/queue/next`, {});
    expect(status).toBe(200);
    const edited_data = { Generic: { input: 'changed' } };
    expect((await send(`/api/queue/${item.id}/submit?apply=true`, { edited_data })).status).toBe(403);
    expect((await send(`/api/queue/${item.id}/submit`, { edited_data })).status).toBe(200);
  });

  it('in one project does not lead to others; the most of several counts; a person takes the browser along', async () => {
    const second = await tenant.api.post<{ id: string }>(`/api/orgs/${tenant.org.id}/projects`, { name: 'Second' });
    const email = 'both@people.example';
    await add(email, 'viewer', tenant.project.id);
    const first = await signInAs(app, email);
    const projects = async (headers: Record<string, string>) =>
      (await app.anonymous.send<{ projects: object[] }>('GET', '/api/session/projects', undefined, headers)).body
        .projects;
    expect(await projects(first)).toMatchObject([{ id: tenant.project.id, role: 'viewer' }]);
    const change = (project_id: string, headers: Record<string, string>) =>
      app.anonymous.send<Record<string, unknown>>('PATCH', '/api/session', { project_id }, headers);
    expect((await change(second.body.id, first)).body['code']).toBe('project_not_found');

    await add(email, 'reviewer');
    await add(email, 'editor', second.body.id);
    const headers = await signInAs(app, email);
    expect(await projects(headers)).toMatchObject([
      { id: second.body.id, name: 'Second', role: 'editor' },
      { id: tenant.project.id, role: 'reviewer', org: { id: tenant.org.id } },
    ]);
    expect(await reported(headers)).toMatchObject({ project: { id: tenant.project.id }, role: 'reviewer' });
    const { status, body, headers: answered } = await change(second.body.id, headers);
    expect([status, body]).toMatchObject([200, { project: { id: second.body.id, name: 'Second' }, role: 'editor' }]);
    const cookie = answered.get('set-cookie')!.split(';')[0]!;
    expect(cookie).not.toBe(headers['cookie']);
    expect(await reported({ ...headers, cookie })).toMatchObject({ project: { id: second.body.id }, role: 'editor' });
    await until(async () => !(await reported(headers))['signed_in']);
    // Anyone who signs in again is where they left.
    expect(await reported(await signInAs(app, email))).toMatchObject({ project: { id: second.body.id } });
  });
});
