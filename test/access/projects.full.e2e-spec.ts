/** What can be set of projects and of how long they keep traces (docs/spec/projects.md, docs/spec/limits.md#retention). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEntry, CapabilitiesResource, OrganizationResource, ProjectResource } from '@spandrel/contract';
import { RetentionTask } from '@spandrel/tracing';
import { adminCommand } from '../../apps/cli/src/admin-command.js';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';
import { tempDir } from '../support/spandrel.ts';
import { SECRET_KEY, type Tenant } from '../support/tenant.ts';

const DAY_MS = 86_400_000;

let postgres: TestPostgres;
let url: string;
let app: CloudApp;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'projects');
  app = await cloudApp(url);
  tenant = await app.createTenant({ plan: 'team' });
  other = await app.createTenant({ plan: 'starter' });
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const patch = (id: string, body: object, api: Api = tenant.api) =>
  api.patch<ProjectResource>(`/api/projects/${id}`, body);
const patchOrg = (body: object) => app.api.patch<OrganizationResource>(`/api/orgs/${tenant.org.id}`, body);

describe('a project', () => {
  it('is changed by administrators of its organization, member by member, with an entry in the audit log', async () => {
    const { id } = tenant.project;
    expect(tenant.project).toMatchObject({ retention_days: null, protected: false });
    const changed = { ...tenant.project, name: 'Renamed', retention_days: 30, protected: true };
    expect((await patch(id, { name: 'Renamed' })).body).toEqual({ ...tenant.project, name: 'Renamed' });
    expect((await patch(id, { retention_days: 30, protected: true })).body).toEqual(changed);
    expect((await patch(id, {})).body).toEqual(changed);
    const { body } = await tenant.api.get<{ projects: ProjectResource[] }>(`/api/orgs/${tenant.org.id}/projects`);
    expect(body.projects).toEqual([changed]);
    const log = await tenant.api.get<{ entries: AuditEntry[] }>('/api/audit-log');
    expect(log.body.entries.find(({ action }) => action === 'project.updated')).toMatchObject({
      ...{ action: 'project.updated', target_id: id, target_name: 'Renamed', project_id: id, org_id: tenant.org.id },
      details: { retention_days: { from: null, to: 30 }, protected: { from: false, to: true } },
    });
    expect((await patch(id, { retention_days: null, protected: false })).body).toMatchObject({ protected: false });
  });

  it('is nothing to administrators of others, and to keys without the scope', async () => {
    const { id } = tenant.project;
    expect((await patch(id, { name: 'x' }, other.api)).body).toMatchObject({ code: 'project_not_found' });
    expect((await patch('nothing', { name: 'x' })).body).toMatchObject({ code: 'project_not_found' });
    const { key } = await tenant.createKey(['read', 'write']);
    expect((await patch(id, { name: 'x' }, app.anonymous.as(key))).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await patch(id, { name: 'By the operator' }, app.api)).status).toBe(200);
  });

  it.each([{ retention_days: 0 }, { retention_days: 1.5 }, { retention_days: 31 }, { protected: 'yes' }, { name: '' }])(
    'cannot be %j',
    async (body) => {
      expect((await patch(tenant.project.id, body)).body).toMatchObject({ code: 'validation_failed' });
      const made = await tenant.api.post(`/api/orgs/${tenant.org.id}/projects`, { name: 'x', ...body });
      expect(made.body).toMatchObject({ code: 'validation_failed' });
    },
  );

  it('that is protected keeps all traces and its datasets until that is lifted', async () => {
    const { body: dataset } = await tenant.api.post<{ id: string }>('/api/datasets', { name: 'kept' });
    await tenant.api.post('/api/traces', { id: 'one' });
    await tenant.api.post('/api/traces', { id: 'two' });
    await patch(tenant.project.id, { protected: true });
    for (const path of ['/api/traces', `/api/datasets/${dataset.id}`]) {
      const { status, body } = await tenant.api.delete<{ code: string }>(path);
      expect([path, status, body.code]).toEqual([path, 409, 'project_protected']);
    }
    expect((await tenant.api.delete('/api/traces/two')).status).toBe(200);
    expect((await tenant.api.get('/api/traces/one')).status).toBe(200);
    expect((await other.api.delete('/api/traces')).status).toBe(200);
    await patch(tenant.project.id, { protected: false });
    for (const path of ['/api/traces', `/api/datasets/${dataset.id}`]) {
      expect((await tenant.api.delete(path)).status).toBe(200);
    }
  });
});

describe('retention', () => {
  const capabilities = async (): Promise<number | null> =>
    (await tenant.api.get<CapabilitiesResource>('/api/capabilities')).body.retention_days;

  it('is the days of the plan, or those that the operator gives an organization, for ever too', async () => {
    expect(tenant.org).toMatchObject({ retention_days: 30, retention_by: 'plan' });
    expect((await patchOrg({ retention_days: 400 })).body).toMatchObject({
      retention_days: 400,
      retention_by: 'organization',
    });
    expect(await capabilities()).toBe(400);
    expect((await patchOrg({ retention_days: null })).body).toMatchObject({
      retention_days: null,
      retention_by: 'organization',
    });
    expect(await capabilities()).toBeNull();
    expect((await patchOrg({ retention_days: 'plan' })).body).toMatchObject({
      retention_days: 30,
      retention_by: 'plan',
    });
    expect(await capabilities()).toBe(30);
    for (const retention_days of [0, 'ever', 36_501]) {
      expect((await patchOrg({ retention_days })).body).toMatchObject({ code: 'validation_failed' });
    }
    const own = await tenant.api.patch(`/api/orgs/${tenant.org.id}`, { retention_days: 400 });
    expect(own.body).toMatchObject({ code: 'insufficient_scope' });
  });

  it('deletes what each project does not keep, and a day only when no project keeps spans of it', async () => {
    const { id } = tenant.project;
    const backs = [2, 9, 40];
    for (const { api } of [tenant, other]) {
      const traces = backs.map((back) => ({
        id: `t-${back}`,
        started_at: new Date(Date.now() - back * DAY_MS).toISOString(),
      }));
      const spans = traces.map(({ id: trace_id, started_at }) => ({
        id: `s-${trace_id}`,
        trace_id,
        name: 's',
        started_at,
      }));
      expect((await api.post('/api/ingest', { traces, spans })).status).toBe(200);
    }
    const left = async ({ api }: Tenant): Promise<string[]> =>
      (await api.get<{ traces: { id: string }[] }>('/api/traces')).body.traces.map((trace) => trace.id);
    const run = () => app.app.get(RetentionTask).run(new AbortController().signal);

    await patchOrg({ retention_days: null });
    expect(await run()).toMatchObject({ daysDropped: 0 });
    expect([await left(tenant), await left(other)]).toEqual([['t-2', 't-9', 't-40'], ['t-2']]);
    await patch(id, { retention_days: 10 });
    expect(await run()).toMatchObject({ daysDropped: 1 });
    expect(await left(tenant)).toEqual(['t-2', 't-9']);
    await patchOrg({ retention_days: 5 });
    expect(await capabilities()).toBe(5);
    const expired = await run();
    expect(expired!.plans.get('own days')).toEqual({ days: null, traces: 1, spans: 1 });
    expect([await left(tenant), await left(other)]).toEqual([['t-2'], ['t-2']]);
  });
});

describe('spandrel admin', () => {
  const admin = (...args: string[]) =>
    runCommand(
      (settings) => adminCommand('').parseAsync([...args, ...settings], { from: 'user' }),
      ['--mode', 'cloud', '--data-dir', tempDir()],
      { DATABASE_URL: url, SPANDREL_SECRET_KEY: SECRET_KEY },
    );

  it('changes projects and the retention of organizations', async () => {
    const { id } = other.project;
    const update = async (...args: string[]) => (await admin('project', 'update', id, ...args)).out;
    expect(await update('--name', 'P', '--protect', '--retention-days', '3')).toBe(
      `${id}  "P"  of organization ${other.org.id}, keeps traces 3 days, protected\n`,
    );
    expect((await admin('project', 'show', id)).out).toBe(
      `${id}  "P"  of organization ${other.org.id}, keeps traces 3 days, protected\n`,
    );
    expect((await admin('project', 'show', 'nothing')).err).toContain('there is no such project');
    expect(JSON.parse((await admin('org', 'show', other.org.id, '--json')).out)).toMatchObject({
      ...{ id: other.org.id, state: 'active', removal: null },
    });
    expect((await admin('org', 'show', 'nothing')).err).toContain('there is no such organization');
    expect(await update('--no-protect', '--retention-days', 'organization')).toBe(
      `${id}  "P"  of organization ${other.org.id}\n`,
    );
    const { err } = await admin('project', 'update', id, '--retention-days', '8');
    expect(err).toContain('--retention-days: must be 7 or less');
    expect(await update('--retention-days', 'null')).not.toContain('keeps');
    const word = await admin('project', 'update', id, '--retention-days', 'ever');
    expect(word.err).toContain('--retention-days: must be a number of days, or organization');
    const org = async (days: string) => (await admin('org', 'update', other.org.id, '--retention-days', days)).out;
    expect(await org('ever')).toContain('keeps traces for ever\n');
    expect(await org('null')).toContain('keeps traces for ever\n');
    expect(await org('12')).toContain('keeps traces 12 days\n');
    expect(await org('plan')).not.toContain('keeps');
  });
});
