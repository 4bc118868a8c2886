import { setTimeout as pause } from 'node:timers/promises';
import { AccessLog } from '@spandrel/http';
import {
  CoreSettings,
  listenFault,
  logLines,
  programMetrics,
  type AppContext,
  type AppReady,
  Readiness,
} from '@spandrel/kernel';
import { openServer } from '@spandrel/server';
import { GatewayUserSettings, publicGatewayUrl } from '../../gateway/src/gateway.settings.js';
import { drainHttp } from './drain-http.js';

/** Connections waiting to be accepted: beyond Node's own 511 a burst costs some clients a second (a repeated SYN). */
const BACKLOG = 4_096;

/** Opens the API server of the settings and lets it listen. @throws StartError */
export async function startServer({
  settings,
  logger,
  life,
  output,
  lifecycle,
  status,
}: AppContext): Promise<AppReady> {
  const { core } = settings;
  const accessLog = core.accessLog
    ? new AccessLog(core.logLevel, 'server', logLines(core.logFormat, output.err.bulk))
    : undefined;
  const metrics = programMetrics(core.mode, output);
  const gateway = settings.of(GatewayUserSettings);
  const gatewayUrl = (): string | null => publicGatewayUrl(gateway, core, status.gatewayPort);
  const parts = { logger, life, metrics, gatewayUrl, ...(accessLog && { accessLog }) };
  const { app, storage } = await openServer(settings, parts);
  lifecycle.onStop('storage', () => storage.close());
  const drain = drainHttp(app.getHttpServer(), () => app.close());
  lifecycle.onStop('http', drain.stop);
  const readiness = app.get(Readiness);
  await app.init();
  try {
    await app.listen({ port: core.port, host: core.host, backlog: BACKLOG });
  } catch (error) {
    throw listenFault(CoreSettings.declared.port, core.host, core.port, error);
  }
  status.onReady((isReady) => (readiness.ready = isReady));
  lifecycle.onStop('readiness', async () => {
    readiness.end();
    drain.begin();
    await pause(core.shutdownDelayMs);
  });
  return { port: (app.getHttpServer().address() as { port: number }).port };
}
