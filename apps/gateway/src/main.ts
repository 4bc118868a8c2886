import { runApp } from '@spandrel/kernel';
import { gatewayAddresses, GatewayUserSettings } from './gateway.settings.js';
import { startGateway } from './start-gateway.js';

await runApp('gateway', [GatewayUserSettings], startGateway, (settings, { port }) => {
  const { apiUrl } = gatewayAddresses(settings.of(GatewayUserSettings), settings.core);
  return `Spandrel gateway on http://${settings.core.host}:${port}, recording to ${apiUrl}\n`;
});
