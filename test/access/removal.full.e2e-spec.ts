/** Deleting projects and organizations (docs/spec/projects.md#deleting-a-project). What a kill does is in removal-kill.full.e2e-spec.ts. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEntry, KeyCreated, OrganizationResource, Problem, ProjectResource } from '@spandrel/contract';
import { ConnectionsSettings } from '@spandrel/connections';
import { FEATURES } from '@spandrel/server';
import { anyRows } from '../support/any-rows.ts';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';
import { allColumns, KEPT, tablesWith } from './tables-with.ts';
import { plant } from './tenant-data.ts';

let postgres: TestPostgres;
let app: CloudApp;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'removal'), {
    settings: (settings) => void (settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1']),
  });
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const begin = async (api: Api, path: string): Promise<ProjectResource & OrganizationResource> => {
  const { status, body } = await api.delete<ProjectResource & OrganizationResource>(path);
  expect([status, body]).toEqual([202, expect.objectContaining({ state: 'deleting' })]);
  return body;
};

const auditOf = async (orgId: string): Promise<AuditEntry[]> =>
  (await app.api.get<{ entries: AuditEntry[] }>('/api/audit-log?limit=200')).body.entries.filter(
    ({ org_id }) => org_id === orgId,
  );

const isGone = (id: string): Promise<void> =>
  until(async () => {
    const rows = await app.storage.read(
      anyRows()`select 1 as one from removal where id = ${id} and finished_at is not null`,
    );
    return rows.length > 0;
  });

describe('every table', () => {
  it('whose rows belong to a project or an organization is listed by its feature', async () => {
    const listed = new Set(FEATURES.flatMap(({ owned = [] }) => owned).map(({ table, by }) => `${table}.${by}`));
    const found = (await allColumns(app.storage)).filter(
      ({ schema, table, column }) =>
        schema === 'public' && ['project_id', 'org_id'].includes(column) && !/_(p\d{8}|default)$/.test(table),
    );
    const projects = new Set(found.filter(({ column }) => column === 'project_id').map(({ table }) => table));
    // `project` itself goes last of all.
    const missing = found.filter(
      ({ table, column }) =>
        !Object.hasOwn(KEPT, table) &&
        table !== 'project' &&
        !(column === 'org_id' && projects.has(table)) &&
        !listed.has(`${table}.${column}`),
    );
    expect(missing).toEqual([]);
    expect(projects.size).toBeGreaterThan(20);
    const known = new Set(found.map(({ table, column }) => `${table}.${column}`));
    expect([...listed].filter((each) => !known.has(each) && !each.startsWith('span'))).toEqual([]);
  });
});

describe('a project that is deleted', () => {
  let tenant: Tenant;
  let project: ProjectResource;
  let api: Api;
  let keyId: string;

  beforeAll(async () => {
    tenant = await app.createTenant({ name: 'keeps-its-own' });
    project = (await tenant.api.post<ProjectResource>(`/api/orgs/${tenant.org.id}/projects`, { name: 'goes-away' }))
      .body;
    const body = { name: 'of-the-gone', scopes: ['read', 'write', 'admin'], project_id: project.id };
    const { body: key } = await tenant.api.post<KeyCreated>('/api/keys', body);
    api = app.anonymous.as(key.key);
    keyId = key.id;
  });

  it('is neither a protected one nor that of others', async () => {
    const path = `/api/projects/${project.id}`;
    const other = await app.createTenant();
    expect((await other.api.delete(path)).body).toMatchObject({ code: 'project_not_found' });
    await tenant.api.patch(path, { protected: true });
    expect((await tenant.api.delete(path)).body).toMatchObject({ status: 409, code: 'project_protected' });
    const whole = await app.api.delete<Problem>(`/api/orgs/${tenant.org.id}`);
    expect(whole.body).toMatchObject({ status: 409, code: 'project_protected' });
    expect(whole.body.detail).toContain(`the project "goes-away" (${project.id}) is protected`);
    await tenant.api.patch(path, { protected: false });
  });

  it('is out of reach at once, also when its own key asked for that, and shown as deleting', async () => {
    const path = `/api/projects/${project.id}`;
    expect((await api.post('/api/traces', { id: 'last' })).status).toBe(201);
    expect((await tenant.api.get(path)).body).toMatchObject({ id: project.id, state: 'active', removal: null });
    await begin(api, path);
    const progress = { id: project.id, state: 'deleting', removal: { rows_deleted: expect.any(Number) } };
    for (const reader of [tenant.api, app.api]) expect((await reader.get(path)).body).toMatchObject(progress);
    await until(async () => (await api.get('/api/traces')).status === 401);
    const listed = await tenant.api.get<{ projects: ProjectResource[] }>(`/api/orgs/${tenant.org.id}/projects`);
    const shown = listed.body.projects.find(({ id }) => id === project.id);
    if (shown) expect(shown).toMatchObject({ state: 'deleting', removal: { rows_deleted: expect.any(Number) } });
    const key = { name: 'x', scopes: ['read'], project_id: project.id };
    const member = { email: 'late@spandrel.example', role: 'viewer', project_id: project.id };
    for (const answer of [
      await tenant.api.post('/api/keys', key),
      await tenant.api.patch(path, { name: 'x' }),
      await tenant.api.post(`/api/orgs/${tenant.org.id}/members`, member),
    ]) {
      expect(answer.body).toMatchObject({ status: 409, code: 'being_deleted' });
    }
    const masking = await tenant.api.send('PUT', `${path}/masking`, { rules: [] });
    expect(masking.body).toMatchObject({ code: 'project_not_found' });
    await isGone(project.id);
    expect(await tablesWith(app.storage, [project.id])).toEqual([]);
    for (const answer of [await tenant.api.delete(path), await tenant.api.get(path)]) {
      expect(answer.body).toMatchObject({ status: 404, code: 'project_not_found' });
    }
    const [end, start] = (await auditOf(tenant.org.id)).filter(({ target_id }) => target_id === project.id);
    expect(start).toMatchObject({ action: 'project.deletion_begun', actor: `key:${keyId}` });
    expect(end).toMatchObject({
      ...{ action: 'project.deleted', actor: 'service', target_name: 'goes-away' },
      details: { requested_by: `key:${keyId}`, rows: { trace: 1 } },
    });
  });
});

describe('an organization that is deleted', () => {
  it('goes with everything, and others keep all that they have', async () => {
    const mark = 'gone-for-good';
    const [gone, other] = await Promise.all([app.createTenant({ name: mark }), app.createTenant({ name: 'stays' })]);
    const [data] = await Promise.all([plant(gone, mark), plant(other, 'stays-too')]);
    const spans = Array.from({ length: 1_500 }, (_, n) => ({
      id: `${mark}-${n}`,
      trace_id: `${mark}-t-${n % 9}`,
      name: mark,
    }));
    const traces = Array.from({ length: 9 }, (_, n) => ({ id: `${mark}-t-${n}` }));
    expect((await gone.api.post('/api/ingest', { traces, spans })).status).toBe(200);
    const before = (await other.api.get<object>('/api/export/json')).body;
    expect((await gone.api.delete(`/api/orgs/${gone.org.id}`)).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await other.api.delete(`/api/orgs/${gone.org.id}`)).body).toMatchObject({ code: 'organization_not_found' });

    const path = `/api/orgs/${gone.org.id}`;
    expect((await gone.api.get(path)).body).toEqual((await app.api.get(path)).body);
    expect((await other.api.get(path)).body).toMatchObject({ status: 404, code: 'organization_not_found' });
    await begin(app.api, path);
    expect((await app.api.get(path)).body).toMatchObject({ id: gone.org.id, state: 'deleting', removal: {} });
    await until(async () => (await gone.api.get('/api/traces')).status === 401);
    await isGone(gone.org.id);
    expect((await app.api.get(path)).body).toMatchObject({ status: 404, code: 'organization_not_found' });
    expect(await tablesWith(app.storage, [gone.org.id, gone.project.id, mark, data.connection])).toEqual([]);
    const after = (await other.api.get<object>('/api/export/json')).body;
    expect({ ...after, exported_at: 0 }).toEqual({ ...before, exported_at: 0 });
    const acts = (await auditOf(gone.org.id)).map(({ action }) => action);
    expect(acts.filter((action) => /delet/.test(action)).slice(0, 4)).toEqual([
      ...['org.deleted', 'project.deleted', 'org.deletion_begun', 'project.deletion_begun'],
    ]);
  });
});
