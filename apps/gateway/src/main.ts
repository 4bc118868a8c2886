import { runApp } from '@spandrel/kernel';
import { startGateway } from './start-gateway.js';

await runApp(
  'gateway',
  startGateway,
  (settings, { port }) =>
    `Spandrel gateway on http://${settings.host}:${port}, recording to ${settings.gateway.apiUrl}\n`,
);
