import 'reflect-metadata';
import { runApp } from '@spandrel/kernel';
import { SERVER_SETTINGS } from '@spandrel/server/settings';
import { CassetteSettings } from '../../gateway/src/cassette/cassette.settings.js';
import { GatewayUserSettings } from '../../gateway/src/gateway.settings.js';
import { startServer } from './start-server.js';

await runApp(
  'server',
  [...SERVER_SETTINGS, GatewayUserSettings, CassetteSettings],
  startServer,
  ({ core }, { port }) => {
    const data = core.mode === 'local' ? `, data in ${core.dataDir}` : '';
    return `Spandrel API on http://${core.host}:${port}/api (${core.mode} mode${data})\n`;
  },
);
