import type { AddressInfo } from 'node:net';
import { Registry } from '@prometheus-io/client';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { parseExactJson, type EventPayload } from '@spandrel/contract';
import {
  createHttpApp,
  createLogger,
  loadPlugins,
  loadSettings,
  selectFeatures,
  type Logger,
  type Settings,
} from '@spandrel/kernel';
import { DomainEvents } from '@spandrel/events';
import { openStorage, StorageModule, type Storage, type StorageConfig } from '@spandrel/storage';
import { FEATURES } from '../../apps/server/src/features.js';
import { Api } from './api.ts';
import { tempDir } from './spandrel.ts';
import { takeProjectFromHeader } from './in-process.ts';

/** The API server in this process, whole, on any database: what the program runs on SQLite alone can be seen on Postgres. */
export interface ServerApp {
  url: string;
  api: Api;
  storage: Storage;
  app: NestFastifyApplication;
  /** Committed or not, in the order they were emitted; a project's own when it is named. */
  events: { projectId: string; event: EventPayload }[];
  close(): Promise<void>;
}

export interface ServerAppOptions {
  /** Gets the app before its routes are registered. */
  prepare?: (app: NestFastifyApplication) => void;
  settings?: (settings: Settings) => void;
  logger?: Logger;
}

/** Starts it on a free port, in local mode. The header `x-test-project` puts a request into another project. */
export async function startServerApp(config: StorageConfig, options: ServerAppOptions = {}): Promise<ServerApp> {
  const settings = loadSettings({ args: ['--data-dir', tempDir()], env: {}, cwd: process.cwd() });
  const prepare = (app: NestFastifyApplication): void => {
    takeProjectFromHeader(app);
    options.prepare?.(app);
  };
  return serveInProcess(settings, config, { ...options, prepare });
}

/** Starts it on a free port as the settings say. */
export async function serveInProcess(
  settings: Settings,
  config: StorageConfig,
  options: ServerAppOptions = {},
): Promise<ServerApp> {
  options.settings?.(settings);
  const features = selectFeatures(FEATURES, settings.mode, settings.features);
  const logger = options.logger ?? createLogger('silent', 'test');
  const metrics = new Registry();
  const storage = await openStorage(config, {
    entities: features.flatMap(({ entities }) => entities),
    logger,
    metrics,
  });
  const plugins = await loadPlugins(settings.plugins, logger);
  const app = await createHttpApp({
    settings,
    plugins,
    logger,
    features,
    modules: [StorageModule.forRoot(storage)],
    metrics,
  });
  options.prepare?.(app);
  const events: ServerApp['events'] = [];
  app.get(DomainEvents).register({
    name: 'witness',
    take: async (_tx, { projectId }, emitted) =>
      void events.push(...emitted.map(({ json }) => ({ projectId, event: parseExactJson(json) as EventPayload }))),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  return {
    url,
    api: new Api(url),
    storage,
    app,
    events,
    close: async () => {
      await app.close();
      await storage.close();
    },
  };
}
