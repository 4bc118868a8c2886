import 'reflect-metadata';
import { runApp } from '@spandrel/kernel';
import { startServer } from './start-server.js';

await runApp(
  'server',
  startServer,
  (settings, { port }) =>
    `Spandrel API on http://${settings.host}:${port}/api (${settings.mode} mode${settings.mode === 'local' ? `, data in ${settings.dataDir}` : ''})\n`,
);
