import 'reflect-metadata';
import { runApp } from '@spandrel/kernel';
import { SERVER_SETTINGS } from '@spandrel/server/settings';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';
import { startServer } from './start-server.js';

await runApp('server', [...SERVER_SETTINGS, GatewayUserSettings], startServer, ({ core }, { port }) => {
  const data = core.mode === 'local' ? `, data in ${core.dataDir}` : '';
  return `Spandrel API on http://${core.host}:${port}/api (${core.mode} mode${data})\n`;
});
