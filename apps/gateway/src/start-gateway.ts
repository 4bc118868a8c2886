import { setTimeout as pause } from 'node:timers/promises';
import { AccessLog, loadPlugins, programMetrics, StartError, type AppContext, type AppReady } from '@spandrel/kernel';
import { createGateway } from './gateway.js';
import { CLOUD_FLUSH_MS, GATEWAY_DEFAULTS } from './gateway-settings.js';
import type { GatewayLine } from './request-log.js';

/**
 * Composes the gateway of the settings and starts it.
 * @throws StartError when a setting, a plugin or the spool directory does not allow the start.
 */
export async function startGateway({ settings, logger, output, lifecycle }: AppContext): Promise<AppReady> {
  const { providers } = await loadPlugins(settings.plugins, logger);
  const { gateway } = settings;
  const metrics = programMetrics(settings.mode, output);
  const accessLog = settings.accessLog
    ? new AccessLog<GatewayLine>(settings.logLevel, 'gateway', output.err.bulk)
    : undefined;
  const { host, mode, auth } = settings;
  const running = await createGateway(
    {
      ...GATEWAY_DEFAULTS,
      ...gateway,
      host,
      mode,
      metricsToken: auth.metricsToken,
      ...(mode === 'cloud' && { flushMs: CLOUD_FLUSH_MS }),
    },
    { providers, logger, metrics, ...(accessLog && { accessLog }) },
  );
  lifecycle.onStop('gateway', () => running.close());
  let ready: AppReady;
  try {
    ready = await running.listen();
  } catch (error) {
    throw new StartError([
      `gateway.port (--gateway-port, SPANDREL_GATEWAY_PORT): cannot listen on ${settings.host}:${gateway.port}: ${(error as Error).message}`,
    ]);
  }
  lifecycle.onStop('readiness', async () => {
    running.announceStop();
    await pause(settings.shutdownDelayMs);
  });
  return ready;
}
