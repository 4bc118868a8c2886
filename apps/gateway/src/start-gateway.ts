import { setTimeout as pause } from 'node:timers/promises';
import { AccessLog } from '@spandrel/http';
import { listenFault, loadPlugins, logLines, programMetrics, type AppContext, type AppReady } from '@spandrel/kernel';
import { CassetteSettings } from './cassette/cassette.settings.js';
import { createGateway } from './gateway.js';
import { gatewayAddresses, GatewayUserSettings, CLOUD_FLUSH_MS, GATEWAY_LIMITS } from './gateway.settings.js';
import type { GatewayLine } from './request-log.js';

/**
 * Composes the gateway of the settings and starts it.
 * @throws StartError when a setting, a plugin or the spool directory does not allow the start.
 */
export async function startGateway({ settings, logger, life, output, lifecycle }: AppContext): Promise<AppReady> {
  const { core } = settings;
  const { mode, host, metricsToken, trustProxy, wrongCredentials } = core;
  const plugins = await loadPlugins(core.plugins, logger);
  life.starting(plugins);
  const { providers, maskers } = plugins;
  const given = settings.of(GatewayUserSettings);
  const addresses = gatewayAddresses(given, core);
  const metrics = programMetrics(mode, output);
  const lines = logLines(core.logFormat, output.err.bulk);
  const accessLog = core.accessLog ? new AccessLog<GatewayLine>(core.logLevel, 'gateway', lines) : undefined;
  const running = await createGateway(
    {
      ...GATEWAY_LIMITS,
      ...given,
      ...addresses,
      host,
      mode,
      metricsToken,
      trustProxy,
      wrongCredentials,
      ...(mode === 'cloud' && { flushMs: CLOUD_FLUSH_MS }),
    },
    {
      providers,
      maskers,
      cassettes: settings.of(CassetteSettings),
      plugins: core.plugins,
      logger,
      metrics,
      ...(accessLog && { accessLog }),
    },
  );
  lifecycle.onStop('gateway', () => running.close());
  let ready: AppReady;
  try {
    ready = await running.listen();
  } catch (error) {
    throw listenFault(GatewayUserSettings.declared.port, host, addresses.port, error);
  }
  lifecycle.onStop('readiness', async () => {
    running.announceStop();
    await pause(core.shutdownDelayMs);
  });
  return ready;
}
