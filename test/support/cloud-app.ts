import { randomBytes } from 'node:crypto';
import type { ApiScope, KeyCreated, OrganizationResource, Plan, ProjectResource } from '@spandrel/contract';
import { loadSettings, type Scope, type Settings } from '@spandrel/kernel';
import { databaseOf } from '@spandrel/storage';
import { Api, type Answer } from './api.ts';
import { serveInProcess, type ServerApp, type ServerAppOptions } from './server-app.ts';
import { tempDir } from './spandrel.ts';

export const ADMIN_TOKEN = 'an-admin-token-of-the-tests-0123456789';
/** Of all instances of a test. */
export const SECRET_KEY = randomBytes(32).toString('hex');

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
  createKey(scopes: readonly ApiScope[], expiresAt?: string): Promise<KeyCreated>;
}

export interface TenantOptions {
  name?: string;
  /** `enterprise` when left out: what tests record is old. */
  plan?: Plan;
  /** Requests per second; more than any test makes when left out. */
  rateLimit?: number | null;
  /** All when left out. */
  scopes?: readonly ApiScope[];
}

/** The API server in this process, in cloud mode. */
export interface CloudApp extends ServerApp {
  settings: Settings;
  /** Without a credential. */
  anonymous: Api;
  /** With the admin token. */
  api: Api;
  createTenant(options?: TenantOptions): Promise<Tenant>;
}

export interface CloudAppOptions extends ServerAppOptions {
  /** Variables beside those that it needs. */
  env?: Record<string, string>;
}

/** Variables of a server in cloud mode, with {@link ADMIN_TOKEN}. */
export const cloudEnvironment = (databaseUrl: string): Record<string, string> => ({
  SPANDREL_MODE: 'cloud',
  SPANDREL_HOST: '127.0.0.1',
  DATABASE_URL: databaseUrl,
  SPANDREL_SECRET_KEY: SECRET_KEY,
  SPANDREL_ADMIN_TOKEN: ADMIN_TOKEN,
});

/** Settings of cloud mode on a database, with {@link ADMIN_TOKEN}. */
const cloudSettings = (databaseUrl: string, env: Record<string, string> = {}): Settings =>
  loadSettings({
    args: ['--data-dir', tempDir()],
    env: { ...cloudEnvironment(databaseUrl), ...env },
    cwd: process.cwd(),
  });

/** Starts an instance on a Postgres database, on a free port; any number may be on the same one. */
export async function cloudApp(databaseUrl: string, options: CloudAppOptions = {}): Promise<CloudApp> {
  const settings = cloudSettings(databaseUrl, options.env);
  const served = await serveInProcess(settings, databaseOf(settings), options);
  const anonymous = served.api;
  const api = anonymous.as(ADMIN_TOKEN);
  return { ...served, settings, anonymous, api, createTenant: (of = {}) => createTenant(api, of) };
}

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
  const createKey = async (of: readonly ApiScope[], expiresAt?: string): Promise<KeyCreated> =>
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
