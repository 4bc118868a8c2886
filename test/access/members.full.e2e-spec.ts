/** Members of organizations and what may be given to others (docs/spec/people.md#members). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEntry, MemberResource, Permission } from '@spandrel/contract';
import { adminCommand } from '../../apps/cli/src/admin-command.js';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';
import { tempDir } from '../support/spandrel.ts';
import { cloudEnvironment, type Tenant } from '../support/tenant.ts';

let postgres: TestPostgres;
let url: string;
let app: CloudApp;
let tenant: Tenant;
let other: Tenant;
let members: string;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'members');
  app = await cloudApp(url);
  [tenant, other] = await Promise.all([app.createTenant({ name: 'Ours' }), app.createTenant({ name: 'Theirs' })]);
  members = `/api/orgs/${tenant.org.id}/members`;
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const holding = async (...scopes: Permission[]): Promise<Api> => app.anonymous.as((await tenant.createKey(scopes)).key);
const add = async (email: string, role: string, api = tenant.api): Promise<MemberResource> => {
  const { status, body } = await api.post<MemberResource>(members, { email, role });
  expect(status).toBe(201);
  return body;
};

describe('a member', () => {
  it('is added by address, listed, changed and removed by administrators, and audited', async () => {
    const made = await tenant.api.post<MemberResource>(members, { email: ' Ada@People.example ', role: 'editor' });
    expect([made.status, made.body]).toEqual([
      201,
      {
        ...{ id: expect.any(String), org_id: tenant.org.id, project_id: null, role: 'editor', source: 'added' },
        ...{ email: 'ada@people.example', person: null, created_at: expect.any(String) },
        ...{ provider_status: 'unknown', provider_asked_at: null },
      },
    ]);
    const path = `${members}/${made.body.id}`;
    expect((await tenant.api.patch(path, { role: 'viewer' })).body).toEqual({ ...made.body, role: 'viewer' });
    expect((await tenant.api.patch(path, { role: 'viewer' })).status).toBe(200);
    const listed = await tenant.api.get<{ members: MemberResource[] }>(members);
    expect(listed.body).toEqual({ members: [{ ...made.body, role: 'viewer' }], count: 1, next_cursor: null });
    expect((await tenant.api.delete(path)).body).toEqual({ id: made.body.id, deleted: true });
    const gone = await tenant.api.delete(path);
    expect([gone.status, gone.body.code]).toEqual([404, 'member_not_found']);
    const { body: log } = await tenant.api.get<{ entries: AuditEntry[] }>('/api/audit-log');
    expect(log.entries.filter(({ action }) => action.startsWith('member.')).slice(0, 3)).toMatchObject([
      { action: 'member.deleted', target_id: made.body.id, actor: `key:${tenant.keyId}` },
      { action: 'member.updated', details: { email: 'ada@people.example', role: { from: 'editor', to: 'viewer' } } },
      { action: 'member.created', details: { email: 'ada@people.example', role: 'editor', project_id: null } },
    ]);
  });

  it('has one role for the organization, and one for each project', async () => {
    const inProject = { email: 'grace@people.example', role: 'reviewer', project_id: tenant.project.id };
    expect((await tenant.api.post(members, inProject)).status).toBe(201);
    const again = await tenant.api.post(members, { ...inProject, role: 'viewer' });
    expect([again.status, again.body.code]).toEqual([409, 'member_exists']);
    expect((await tenant.api.post(members, { email: 'grace@people.example', role: 'viewer' })).status).toBe(201);
    for (const role of ['owner', 'admin']) {
      const refused = await tenant.api.post(members, {
        email: 'x@people.example',
        role,
        project_id: tenant.project.id,
      });
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'role']);
    }
  });

  it.each([
    [{ email: 'nobody', role: 'viewer' }, 400],
    [{ email: 'a b@people.example', role: 'viewer' }, 400],
    [{ email: 'a@people.example\0', role: 'viewer' }, 400],
    [{ email: 'a@people.example', role: 'king' }, 400],
    [{ email: 'a@people.example' }, 400],
    [{ role: 'viewer' }, 400],
    [{ email: 'a@people.example', role: 'viewer', project_id: 'nothing' }, 404],
    [{ email: 'a@people.example', role: 'viewer', project_id: 'a\0' }, 404],
  ])('is not made of %j', async (body, status) => {
    expect((await tenant.api.post(members, body)).status).toBe(status);
  });

  it('of another organization is out of reach, by its id too', async () => {
    const theirs = `/api/orgs/${other.org.id}/members`;
    const made = await other.api.post<MemberResource>(theirs, { email: 'x@people.example', role: 'viewer' });
    for (const path of [theirs, `${theirs}/${made.body.id}`, `${members}/${made.body.id}`]) {
      const { status } = path === theirs ? await tenant.api.get(path) : await tenant.api.delete(path);
      expect([path, status]).toEqual([path, 404]);
    }
    const foreign = { email: 'x@people.example', role: 'viewer', project_id: other.project.id };
    expect((await tenant.api.post(members, foreign)).body.code).toBe('project_not_found');
    expect((await app.api.get<{ count: number }>(theirs)).body.count).toBe(1);
  });
});

describe('nobody gives what they do not have', () => {
  const statusOfKey = async (api: Api, ...scopes: Permission[]): Promise<number> =>
    (await api.post('/api/keys', { name: 'x', scopes })).status;

  it('neither as a key', async () => {
    const [admin, reader, writer] = await Promise.all([
      holding('admin'),
      holding('admin', 'read'),
      holding('admin', 'write'),
    ]);
    expect(await statusOfKey(admin, 'admin')).toBe(201);
    for (const scope of ['read', 'write', 'ingest', 'review'] as const)
      expect(await statusOfKey(admin, scope)).toBe(403);
    expect(await statusOfKey(admin, 'admin', 'read')).toBe(403);
    expect(await statusOfKey(reader, 'read', 'admin')).toBe(201);
    expect(await statusOfKey(reader, 'read', 'ingest')).toBe(403);
    expect(await statusOfKey(writer, 'write', 'ingest', 'review')).toBe(201);
    const refused = await admin.post('/api/keys', { name: 'x', scopes: ['read', 'write'] });
    expect(refused.body).toMatchObject({ code: 'insufficient_scope', detail: expect.stringContaining('read, write') });
  });

  it('nor as a role', async () => {
    const [admin, reviewer] = await Promise.all([holding('admin'), holding('admin', 'read', 'review')]);
    const statusOf = async (api: Api, role: string): Promise<number> =>
      (await api.post(members, { email: `${role}-${Math.random()}@people.example`, role })).status;
    expect(await statusOf(admin, 'viewer')).toBe(403);
    expect([await statusOf(reviewer, 'viewer'), await statusOf(reviewer, 'reviewer')]).toEqual([201, 201]);
    expect([await statusOf(reviewer, 'editor'), await statusOf(reviewer, 'admin')]).toEqual([403, 403]);
    expect([await statusOf(tenant.api, 'admin'), await statusOf(tenant.api, 'owner')]).toEqual([201, 403]);
    expect(await statusOf(app.api, 'owner')).toBe(201);
  });

  it('nor by changing a role, and owners are changed by owners alone', async () => {
    const reviewer = await holding('admin', 'read', 'review');
    const viewer = await add('linus@people.example', 'viewer');
    expect((await reviewer.patch(`${members}/${viewer.id}`, { role: 'reviewer' })).status).toBe(200);
    expect((await reviewer.patch(`${members}/${viewer.id}`, { role: 'editor' })).status).toBe(403);
    const owner = await add('owner@people.example', 'owner', app.api);
    for (const change of [
      tenant.api.patch(`${members}/${owner.id}`, { role: 'viewer' }),
      tenant.api.patch(`${members}/${viewer.id}`, { role: 'owner' }),
      tenant.api.delete(`${members}/${owner.id}`),
    ]) {
      expect((await change).status).toBe(403);
    }
    expect((await app.api.delete(`${members}/${owner.id}`)).status).toBe(200);
    // Anyone who administers may take away more than they could give.
    const editor = await add('editor@people.example', 'editor');
    expect((await (await holding('admin')).delete(`${members}/${editor.id}`)).status).toBe(200);
  });
});

describe('spandrel admin member', () => {
  const admin = (...args: string[]) =>
    runCommand(
      (settings) => adminCommand('').parseAsync(['member', ...args, ...settings], { from: 'user' }),
      ['--data-dir', tempDir()],
      cloudEnvironment(url),
    );

  it('adds the first owner, changes, lists and removes', async () => {
    const org = ['--org', other.org.id];
    const { out } = await admin('add', ...org, '--email', 'First@people.example', '--role', 'owner', '--json');
    const first = JSON.parse(out) as MemberResource;
    expect(first).toMatchObject({ email: 'first@people.example', role: 'owner' });
    expect((await admin('update', first.id, ...org, '--role', 'admin')).out).toContain(`${first.id}  admin`);
    expect((await admin('list', ...org)).out).toContain('"first@people.example"  all projects');
    expect((await admin('remove', first.id, ...org)).code).toBe(0);
    const { err, code } = await admin('remove', first.id, ...org);
    expect([err, code]).toEqual([expect.stringContaining('there is no such member'), 1]);
    expect((await admin('add', ...org, '--email', 'x', '--role', 'viewer')).err).toContain('--email: ');
  });
});
