import type { Settings } from '@spandrel/kernel';
import { databaseOf } from '@spandrel/storage';
import type { Api } from './api.ts';
import { serveInProcess, testSettings, type ServerApp, type ServerAppOptions } from './server-app.ts';
import { ADMIN_TOKEN, cloudEnvironment, createTenant, type Tenant, type TenantOptions } from './tenant.ts';

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

/** Settings of cloud mode on a database, with {@link ADMIN_TOKEN}. */
const cloudSettings = (databaseUrl: string, env: Record<string, string> = {}): Settings =>
  testSettings({ ...cloudEnvironment(databaseUrl), ...env });

/** Starts an instance on a Postgres database, on a free port; any number may be on the same one. */
export async function cloudApp(databaseUrl: string, options: CloudAppOptions = {}): Promise<CloudApp> {
  const settings = cloudSettings(databaseUrl, options.env);
  const served = await serveInProcess(settings, databaseOf(settings), options);
  const anonymous = served.api;
  const api = anonymous.as(ADMIN_TOKEN);
  return { ...served, settings, anonymous, api, createTenant: (of = {}) => createTenant(api, of) };
}
