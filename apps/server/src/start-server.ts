import { setTimeout as pause } from 'node:timers/promises';
import {
  AccessLog,
  createHttpApp,
  loadPlugins,
  programMetrics,
  Readiness,
  selectFeatures,
  StartError,
  type AppContext,
  type AppReady,
} from '@spandrel/kernel';
import { databaseOf, openStorage, StorageModule } from '@spandrel/storage';
import { drainHttp } from './drain-http.js';
import { FEATURES } from './features.js';

/** Connections waiting to be accepted: beyond Node's own 511 a burst costs some clients a second (a repeated SYN). */
const BACKLOG = 4_096;

/**
 * Composes the API server of the settings and starts it: plugins, storage, features, HTTP.
 * @throws StartError when a setting, a plugin or the data directory does not allow the start.
 */
export async function startServer({ settings, logger, output, lifecycle }: AppContext): Promise<AppReady> {
  const features = selectFeatures(FEATURES, settings.mode, settings.features);
  const database = databaseOf(settings);
  const plugins = await loadPlugins(settings.plugins, logger);
  const metrics = programMetrics(settings.mode, output);
  const storage = await openStorage(database, {
    entities: features.flatMap(({ entities }) => entities),
    logger,
    metrics,
  });
  lifecycle.onStop('storage', () => storage.close());
  const accessLog = settings.accessLog ? new AccessLog(settings.logLevel, 'server', output.err.bulk) : undefined;
  const app = await createHttpApp({
    settings,
    plugins,
    logger,
    features,
    modules: [StorageModule.forRoot(storage)],
    metrics,
    ...(accessLog && { accessLog }),
  });
  const drain = drainHttp(app.getHttpServer(), () => app.close());
  lifecycle.onStop('http', drain.stop);
  const readiness = app.get(Readiness);
  await app.init();
  try {
    await app.listen({ port: settings.port, host: settings.host, backlog: BACKLOG });
  } catch (error) {
    throw new StartError([
      `port (--port, SPANDREL_PORT): cannot listen on ${settings.host}:${settings.port}: ${(error as Error).message}`,
    ]);
  }
  readiness.ready = true;
  lifecycle.onStop('readiness', async () => {
    readiness.end();
    drain.begin();
    await pause(settings.shutdownDelayMs);
  });
  return { port: (app.getHttpServer().address() as { port: number }).port };
}
