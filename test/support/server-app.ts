import type { AddressInfo } from 'node:net';
import { Registry } from '@prometheus-io/client';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { parseExactJson, type EventPayload } from '@spandrel/contract';
import { createLogger, loadSettings, type Logger, type Settings } from '@spandrel/kernel';
import { DomainEvents } from '@spandrel/events';
import { openServer, type OpenedServer, type ServerOptions } from '@spandrel/server';
import { SERVER_SETTINGS } from '@spandrel/server/settings';
import type { StorageConfig } from '@spandrel/storage';
import { Api } from './api.ts';
import { tempDir } from './spandrel.ts';
import { takeProjectFromHeader } from './in-process.ts';

/** The API server in this process, whole, on any database: what the program runs on SQLite alone can be seen on Postgres. */
export interface ServerApp extends OpenedServer {
  url: string;
  api: Api;
  /** Committed or not, in the order they were emitted; a project's own when it is named. */
  events: { projectId: string; event: EventPayload }[];
}

export interface ServerAppOptions {
  /** Gets the app before its routes are registered. */
  prepare?: (app: NestFastifyApplication) => unknown;
  settings?: (settings: Settings) => void;
  logger?: Logger;
  /** The port to listen on; a free one when left out. */
  port?: number;
}

/** Settings of a server as its defaults are, with a data directory of its own. @param env variables. */
export const testSettings = (env: Record<string, string> = {}): Settings =>
  loadSettings(SERVER_SETTINGS, { args: ['--data-dir', tempDir()], env, cwd: process.cwd() });

/**
 * Opens some features in local mode, without plugins unless `settings` lists some, for calls that need no port. The
 * header `x-test-project` puts a request into another project.
 */
export async function openInProcess(
  parts: Pick<ServerOptions, 'features' | 'database' | 'storage' | 'metrics'>,
  options: ServerAppOptions = {},
): Promise<OpenedServer> {
  const settings = testSettings();
  settings.core.plugins = [];
  options.settings?.(settings);
  const server = await openServer(settings, { ...parts, logger: createLogger('silent', 'test') });
  takeProjectFromHeader(server.app);
  await options.prepare?.(server.app);
  await server.app.init();
  await server.app.getHttpAdapter().getInstance().ready();
  return server;
}

/** Starts the server on a free port, in local mode. The header `x-test-project` puts a request into another project. */
export async function startServerApp(config: StorageConfig, options: ServerAppOptions = {}): Promise<ServerApp> {
  const prepare = async (app: NestFastifyApplication): Promise<void> => {
    takeProjectFromHeader(app);
    await options.prepare?.(app);
  };
  return serveInProcess(testSettings(), config, { ...options, prepare });
}

/** Starts the server on a free port as the settings say. */
export async function serveInProcess(
  settings: Settings,
  database: StorageConfig,
  options: ServerAppOptions = {},
): Promise<ServerApp> {
  options.settings?.(settings);
  const logger = options.logger ?? createLogger('silent', 'test');
  const server = await openServer(settings, { logger, database, metrics: new Registry() });
  const { app } = server;
  await options.prepare?.(app);
  const events: ServerApp['events'] = [];
  app.get(DomainEvents).register({
    name: 'witness',
    take: async (_tx, { projectId }, emitted) =>
      void events.push(...emitted.map(({ json }) => witnessed(projectId, json))),
  });
  await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  return { ...server, url, api: new Api(url), events };
}

/** An event that is read when it is first looked at: most never are. */
function witnessed(projectId: string, json: string): ServerApp['events'][number] {
  let event: EventPayload | undefined;
  return {
    projectId,
    get event() {
      return (event ??= parseExactJson(json) as EventPayload);
    },
  };
}
