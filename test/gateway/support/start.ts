import { createLogger, loadSettings, type Named } from '@spandrel/kernel';
import type { Provider } from '@spandrel/plugin-api';
import anthropic from '../../../plugins/providers/anthropic/index.js';
import custom from '../../../plugins/providers/custom/index.js';
import ollama from '../../../plugins/providers/ollama/index.js';
import openai from '../../../plugins/providers/openai/index.js';
import { createGateway, type GatewayDeps } from '../../../apps/gateway/src/gateway.js';
import {
  gatewayAddresses,
  GATEWAY_LIMITS,
  GatewayUserSettings,
  type GatewaySettings,
} from '../../../apps/gateway/src/gateway.settings.js';

export interface StartedGateway {
  url: string;
  port: number;
  close(): Promise<void>;
}

const defaults = loadSettings([GatewayUserSettings], { args: [], env: {}, cwd: process.cwd() });
const userDefaults = defaults.of(GatewayUserSettings);

const silent = createLogger('silent', 'gateway-test');

/** The four providers, all with the same base. */
async function providersAt(baseUrl: string): Promise<Named<Provider>[]> {
  const deps = { logger: silent };
  return Promise.all(
    [openai, anthropic, ollama, custom].map(async (plugin) => ({
      name: plugin.name,
      extension: await plugin.setup(deps, (plugin.name === 'custom' ? {} : { base_url: baseUrl }) as never),
    })),
  );
}

export async function startGateway(
  upstreamUrl: string,
  settings: Partial<GatewaySettings>,
  deps: Partial<GatewayDeps> = {},
): Promise<StartedGateway> {
  const gateway = await createGateway(
    {
      ...GATEWAY_LIMITS,
      ...defaults.core,
      ...userDefaults,
      ...gatewayAddresses(userDefaults, defaults.core),
      port: 0,
      ...settings,
    },
    { providers: await providersAt(upstreamUrl), maskers: [], logger: silent, ...deps },
  );
  const { port } = await gateway.listen();
  return { url: `http://127.0.0.1:${port}`, port, close: () => gateway.close() };
}
