import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEntry, CredentialResource, KeyCreated, KeyResource, OrganizationResource } from '@spandrel/contract';
import { cloudApp, type CloudApp, type Tenant } from '../support/cloud-app.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';

let postgres: TestPostgres;
let first: CloudApp;
let second: CloudApp;
let tenant: Tenant;

beforeAll(async () => {
  postgres = await startPostgres();
  const url = await postgres.createDatabase('keys');
  [first, second] = await Promise.all([cloudApp(url), cloudApp(url)]);
  tenant = await first.createTenant();
}, 60_000);

afterAll(async () => {
  await Promise.all([first?.close(), second?.close()]);
  await postgres?.stop();
});

/** Generous beside the second within which it must be so: the machine may be busy. */
const REVOKED_MS_MAX = 1_000;

describe('an API key', () => {
  it('is shown once, and its digest alone is kept', async () => {
    const made = await tenant.createKey(['ingest', 'read', 'read']);
    expect(made).toMatchObject({
      prefix: made.key.slice(0, 13),
      scopes: ['read', 'ingest'],
      org_id: tenant.org.id,
      project_id: tenant.project.id,
      expires_at: null,
    });
    expect(made.key).toMatch(/^spn_sk_[0-9A-Za-z]{49}$/);
    const { body } = await tenant.api.get<{ keys: KeyResource[] }>('/api/keys');
    const { key: _key, ...shown } = made;
    expect(body.keys).toContainEqual(shown);
    const tables = await first.storage.read<{ row: string }>({
      writeTo: (target) =>
        void ((target as { text: string }).text +=
          'select k::text as row from api_key k union all select a::text from audit_log a'),
    });
    expect(tables.length).toBeGreaterThan(3);
    for (const { row } of tables) expect(row).not.toContain(made.key.slice(0, 20));
  });

  it('tells what it is', async () => {
    const { body } = await tenant.api.get<CredentialResource>('/api/credential');
    expect(body).toEqual({
      kind: 'api_key',
      id: tenant.keyId,
      org_id: tenant.org.id,
      project_id: tenant.project.id,
      scopes: ['read', 'write', 'ingest', 'admin'],
      expires_at: null,
    });
    expect((await first.api.get<CredentialResource>('/api/credential')).body).toMatchObject({
      kind: 'admin_token',
      id: 'admin',
      org_id: null,
      project_id: null,
      scopes: [],
    });
  });
});
