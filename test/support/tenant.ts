import { createHash } from 'node:crypto';
import type { Permission, KeyCreated, OrganizationResource, Plan, ProjectResource } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { Answer, Api } from './api.ts';

export const ADMIN_TOKEN = 'an-admin-token-of-the-tests-0123456789';
/** The secret key of all instances of a test. */
export const SECRET_KEY = createHash('sha256').update('Spandrel, under test').digest('hex');

/** An organization with one project, and a key for it. */
export interface Tenant {
  org: OrganizationResource;
  project: ProjectResource;
  scope: Scope;
  key: string;
  keyId: string;
  /** With {@link key}. */
  api: Api;
  /** Makes another key of the project. */
  createKey(scopes: readonly Permission[], expiresAt?: string): Promise<KeyCreated>;
}

export interface TenantOptions {
  name?: string;
  /** `enterprise` when left out: what tests record is old. */
  plan?: Plan;
  /** Requests per second; more than any test makes when left out. */
  rateLimit?: number | null;
  /** All when left out. */
  scopes?: readonly Permission[];
}

/** Variables of a server in cloud mode, with {@link ADMIN_TOKEN}. */
export const cloudEnvironment = (databaseUrl: string): Record<string, string> => ({
  SPANDREL_MODE: 'cloud',
  SPANDREL_HOST: '127.0.0.1',
  DATABASE_URL: databaseUrl,
  SPANDREL_SECRET_KEY: SECRET_KEY,
  SPANDREL_ADMIN_TOKEN: ADMIN_TOKEN,
  // Tests show many wrong ones, all from one address.
  SPANDREL_WRONG_CREDENTIALS: '1000000',
  // What tests record is old: the first run is a quarter of it after the start.
  SPANDREL_RETENTION_INTERVAL: '86400',
});

/** Makes an organization with a project and a key. @param operator holds the admin token. */
export async function createTenant(
  operator: Api,
  {
    name = 'Tenant',
    plan = 'enterprise',
    rateLimit = 1_000_000,
    scopes = ['read', 'write', 'ingest', 'admin'],
  }: TenantOptions,
): Promise<Tenant> {
  const org = made(await operator.post<OrganizationResource>('/api/orgs', { name, plan, rate_limit: rateLimit }));
  const project = made(await operator.post<ProjectResource>(`/api/orgs/${org.id}/projects`, { name }));
  const createKey = async (of: readonly Permission[], expiresAt?: string): Promise<KeyCreated> =>
    made(
      await operator.post<KeyCreated>('/api/keys', {
        name,
        scopes: of,
        project_id: project.id,
        expires_at: expiresAt ?? null,
      }),
    );
  const { key, id: keyId } = await createKey(scopes);
  const scope = { orgId: org.id, projectId: project.id };
  return { org, project, scope, key, keyId, api: operator.as(key), createKey };
}

function made<Body>({ status, body }: Answer<Body>): Body {
  if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(body)}`);
  return body;
}
