import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import type { AuditEntry, KeyCreated, KeyResource, OrganizationResource, ProjectResource } from '@spandrel/contract';
import { adminCommand } from '../../apps/cli/src/admin-command.js';
import { backup } from '../../apps/cli/src/backup.js';
import { rebuildAnalytics } from '../../apps/cli/src/rebuild.js';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { SECRET_KEY, type Tenant } from '../support/tenant.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';
import { tempDir } from '../support/spandrel.ts';

const JWT_SECRET = 'a secret of the tests that is long enough';

let postgres: TestPostgres;
let url: string;
let app: CloudApp;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'administration');
  app = await cloudApp(url);
  tenant = await app.createTenant({ name: 'Ours', plan: 'team', rateLimit: 5_000 });
  other = await app.createTenant({ name: 'Theirs' });
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

interface Orgs {
  orgs: OrganizationResource[];
  count: number;
  next_cursor: string | null;
}

/** What was done; what was refused is noted later, and comes at any time. */
const auditOf = async (api: Api): Promise<AuditEntry[]> =>
  (await api.get<{ entries: AuditEntry[] }>('/api/audit-log')).body.entries.filter(
    ({ action }) => action !== 'request.refused',
  );

describe('organizations', () => {
  it("are the operator's to make, and have the service's limit unless they are given one", async () => {
    const made = await app.api.post<OrganizationResource>('/api/orgs', { name: 'New' });
    expect(made.body).toMatchObject({ name: 'New', plan: 'starter', rate_limit: 100 });
    const own = { ...made.body, rate_limit: 250, plan: 'team', retention_days: 30 };
    expect((await app.api.patch(`/api/orgs/${made.body.id}`, { rate_limit: 250, plan: 'team' })).body).toEqual(own);
    expect((await app.api.patch(`/api/orgs/${made.body.id}`, { rate_limit: null })).body).toEqual({
      ...own,
      rate_limit: 100,
    });
    for (const body of [{}, { name: '' }, { name: 'x', plan: 'gold' }, { name: 'x', rate_limit: 0 }, { name: 'a\0' }]) {
      expect((await app.api.post('/api/orgs', body)).body).toMatchObject({ code: 'validation_failed' });
    }
    const refused = await tenant.api.post('/api/orgs', { name: 'Mine' });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
  });

  it('have a name that their administrators change, and a plan and a limit that they do not', async () => {
    const path = `/api/orgs/${tenant.org.id}`;
    expect((await tenant.api.patch(path, { name: 'Ours too' })).body).toEqual({ ...tenant.org, name: 'Ours too' });
    for (const body of [
      { plan: 'enterprise' },
      { rate_limit: 1_000_000 },
      { rate_limit: null },
      { name: 'x', plan: 'team' },
    ]) {
      const { status, body: problem } = await tenant.api.patch(path, body);
      expect([status, problem.code]).toEqual([403, 'insufficient_scope']);
    }
    expect((await tenant.api.get<Orgs>('/api/orgs')).body).toEqual({
      orgs: [{ ...tenant.org, name: 'Ours too' }],
      count: 1,
      next_cursor: null,
    });
  });

  it('are listed page by page to the operator', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: Orgs } = await app.api.get<Orgs>(`/api/orgs?limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.orgs.map(({ id }) => id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(expect.arrayContaining([tenant.org.id, other.org.id]));
    expect(seen).toEqual([...new Set(seen)].toSorted().toReversed());
  });
});

describe('projects', () => {
  it('are made and listed by the administrators of their organization', async () => {
    const made = await tenant.api.post<ProjectResource>(`/api/orgs/${tenant.org.id}/projects`, { name: 'Second' });
    expect(made.status).toBe(201);
    const { body } = await tenant.api.get(`/api/orgs/${tenant.org.id}/projects`);
    expect(body).toEqual({ projects: [tenant.project, made.body], count: 2, next_cursor: null });
    const key = await tenant.api.post<KeyCreated>('/api/keys', {
      name: 'second',
      scopes: ['read', 'write'],
      project_id: made.body.id,
    });
    await tenant.api.post('/api/traces', { id: 'of-the-first' });
    expect((await app.anonymous.as(key.body.key).get('/api/traces/of-the-first')).status).toBe(404);
  });
});

describe('the audit log', () => {
  it('has every action with who did it, and no key', async () => {
    const { id, key } = (await tenant.api.post<KeyCreated>('/api/keys', { name: 'audited', scopes: ['ingest'] })).body;
    await app.api.delete(`/api/keys/${id}`);
    await app.api.patch(`/api/orgs/${tenant.org.id}`, { plan: 'enterprise' });
    await app.api.patch(`/api/orgs/${tenant.org.id}`, { plan: 'enterprise' });
    const details = {
      ...{
        name: 'audited',
        project_id: tenant.project.id,
        scopes: ['ingest'],
        expires_at: null,
        service_account: true,
      },
    };
    const of = {
      ...{ id: expect.any(String), at: expect.any(String), org_id: tenant.org.id, project_id: tenant.project.id },
      ...{ address: expect.stringMatching(/127\.0\.0\.1$/), request_id: expect.any(String), target_name: 'audited' },
      ...{ seq: expect.any(Number), prev_hash: expect.any(String), hash: expect.any(String) },
    };
    const entries = await auditOf(tenant.api);
    expect(entries.slice(0, 3)).toEqual([
      {
        ...of,
        ...{ project_id: null, target_name: 'Ours too' },
        actor: 'admin',
        actor_name: null,
        action: 'org.updated',
        target_id: tenant.org.id,
        details: { plan: { from: 'team', to: 'enterprise' } },
      },
      { ...of, actor: 'admin', actor_name: null, action: 'key.deleted', target_id: id, details },
      {
        ...of,
        ...{ actor: `key:${tenant.keyId}`, actor_name: expect.any(String), action: 'key.created' },
        ...{ target_id: id, details },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(key.slice(13));
    const [first] = entries.slice(-1);
    expect(first).toMatchObject({
      action: 'org.created',
      details: { name: 'Ours', plan: 'team', rate_limit: 5_000 },
    });
  });

  it('shows an organization its own, and the operator all', async () => {
    expect(new Set((await auditOf(tenant.api)).map(({ org_id }) => org_id))).toEqual(new Set([tenant.org.id]));
    const all = new Set((await auditOf(app.api)).map(({ org_id }) => org_id));
    expect(all.has(tenant.org.id) && all.has(other.org.id)).toBe(true);
  });

  it('has nothing of what was refused, as if it had been done', async () => {
    const done = async (): Promise<number> => (await auditOf(app.api)).length;
    const before = await done();
    await tenant.api.post('/api/orgs', { name: 'x' });
    await tenant.api.patch(`/api/orgs/${other.org.id}`, { name: 'x' });
    await tenant.api.delete(`/api/keys/${other.keyId}`);
    await tenant.api.post('/api/keys', { name: 'x', scopes: ['read'], project_id: other.project.id });
    expect(await done()).toBe(before);
  });
});

/** Runs a command on the database of the app. */
const run = (command: (args: readonly string[]) => Promise<unknown>) =>
  runCommand(command, ['--mode', 'cloud', '--data-dir', tempDir()], {
    DATABASE_URL: url,
    SPANDREL_SECRET_KEY: SECRET_KEY,
    SPANDREL_NEW_SECRET_KEY: 'ab'.repeat(32),
    SPANDREL_JWT_SECRET: JWT_SECRET,
  });

describe('spandrel admin', () => {
  const admin = (...args: string[]) =>
    run((settings) => adminCommand('').parseAsync([...args, ...settings], { from: 'user' }));
  const json = async <Value>(...args: string[]): Promise<Value> =>
    JSON.parse((await admin(...args, '--json')).out) as Value;

  it('makes the first organization, project and key of a service', async () => {
    const org = await json<OrganizationResource>('org', 'create', '--name', 'Acme "Labs"', '--plan', 'team');
    expect(org).toMatchObject({ name: 'Acme "Labs"', plan: 'team', rate_limit: 100 });
    const project = await json<ProjectResource>('project', 'create', '--org', org.id, '--name', 'Chat');
    const { out, code } = await admin(
      ...['key', 'create', '--org', org.id, '--project', project.id, '--scopes', 'read,write'],
    );
    expect(code).toBe(0);
    const keys = out.match(/spn_sk_[0-9A-Za-z]{49}/g)!;
    expect(keys).toHaveLength(1);
    expect(out.trimEnd().split('\n').at(-1)).toBe(keys[0]);
    const api = app.anonymous.as(keys[0]!);
    expect((await api.post('/api/traces', {})).status).toBe(201);
    expect((await api.get('/api/keys')).status).toBe(403);

    const [key] = await json<KeyResource[]>('key', 'list', '--org', org.id);
    expect(key).toMatchObject({ scopes: ['read', 'write'], project_id: project.id });
    expect((await admin('key', 'list')).out).not.toContain(keys[0]!.slice(13));
    expect((await admin('key', 'delete', key!.id)).out).toContain(key!.id);
    expect(await json('key', 'list', '--org', org.id)).toEqual([]);

    const updated = await json('org', 'update', org.id, '--rate-limit', '300', '--name', 'Acme');
    expect(updated).toEqual({ ...org, name: 'Acme', rate_limit: 300 });
    expect(await json('org', 'update', org.id, '--rate-limit', 'default')).toMatchObject({ rate_limit: 100 });
    expect((await admin('org', 'list')).out).toContain(`${org.id}  "Acme"  plan team, 100 requests/s\n`);
    expect(await json('project', 'list', '--org', org.id)).toEqual([project]);
    const audit = await json<AuditEntry[]>('audit', '--limit', '50');
    const acts = audit.map(({ action, actor }) => `${actor} ${action}`).filter((act) => act.startsWith('cli '));
    expect(acts.slice(0, 6)).toEqual([
      'cli org.updated',
      'cli org.updated',
      'cli key.deleted',
      'cli key.created',
      'cli project.created',
      'cli org.created',
    ]);
  });

  it.each([
    [['org', 'create', '--name', 'x', '--plan', 'gold'], '--plan: '],
    [['org', 'create', '--name', 'x', '--rate-limit', 'many'], '--rate-limit: '],
    [['org', 'update', 'nobody', '--name', 'x'], 'there is no such organization'],
    [['project', 'list', '--org', 'nobody'], 'there is no such organization'],
    [['key', 'create', '--project', 'nothing', '--scopes', 'read'], 'there is no such project'],
    [['key', 'create', '--project', 'nothing', '--scopes', 'read,fly'], '--scopes: '],
    [['key', 'create', '--project', 'nothing', '--scopes', 'read', '--expires-at', 'soon'], '--expires-at: '],
    [['key', 'delete', 'nothing'], 'there is no such API key'],
    [['audit', '--limit', '0'], '--limit: '],
  ])('says why it does not do: %s', async (args, why) => {
    const { out, err, code } = await admin(...args);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toContain(`spandrel: ${why}`);
  });

  it('finds a project in the organization named, and in no other', async () => {
    const { err } = await admin(
      ...['key', 'create', '--org', tenant.org.id, '--project', other.project.id, '--scopes', 'read'],
    );
    expect(err).toContain('there is no such project');
  });
});

describe('spandrel admin jwt check', () => {
  const check = (token: string) =>
    run((settings) => adminCommand('').parseAsync(['jwt', 'check', token, ...settings], { from: 'user' }));
  const sign = (project: string): Promise<string> =>
    new SignJWT({ sub: 'ada', org: tenant.org.id, project, scopes: 'read write' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1m')
      .sign(Buffer.from(JWT_SECRET));

  it('says what a token is allowed', async () => {
    const { out, code } = await check(await sign(tenant.project.id));
    expect(out).toContain(`let in as "ada" to the project ${tenant.project.id} of organization ${tenant.org.id}`);
    expect([out.includes('FAIL'), code]).toEqual([false, 0]);
  });

  it('says which rule a token fails, and ends with 1', async () => {
    const { out, code } = await check(await sign(other.project.id));
    expect(out.match(/^FAIL .*$/gm)).toEqual([expect.stringMatching(/project known .*but of another one$/)]);
    expect(out).toContain('This token is refused with 401.');
    expect(code).toBe(1);
  });
});

describe('in cloud mode', () => {
  it('spandrel analytics rebuild counts what is in Postgres, while servers run', async () => {
    const { api } = await app.createTenant();
    const { body } = await api.post<{ id: string }>('/api/traces', {});
    await api.post('/api/spans', { trace_id: body.id, name: 'counted' });
    const { out, code } = await run(rebuildAnalytics);
    expect(out).toMatch(/Counted the analytics again: \d+ traces?, 1 span, .*correct\.\n$/s);
    expect(code).toBe(0);
  });

  it('spandrel backup names the program for it', async () => {
    const { err, code } = await run((args) => backup('copy.db', false, args));
    expect([err, code]).toEqual(['spandrel: mode: cloud mode keeps its data in Postgres; use pg_dump\n', 1]);
  });
});
