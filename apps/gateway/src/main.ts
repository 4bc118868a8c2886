import { runApp } from '@spandrel/kernel';
import { CassetteSettings } from './cassette/cassette.settings.js';
import { gatewayAddresses, GatewayUserSettings } from './gateway.settings.js';
import { startGateway } from './start-gateway.js';

await runApp('gateway', [GatewayUserSettings, CassetteSettings], startGateway, (settings, { port }) => {
  const { apiUrl } = gatewayAddresses(settings.of(GatewayUserSettings), settings.core);
  return `Spandrel gateway on http://${settings.core.host}:${port}, recording to ${apiUrl}\n`;
});
