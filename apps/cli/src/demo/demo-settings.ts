import { DEMO_TAG } from '@spandrel/contract';
import { loadSettings, StartError } from '@spandrel/kernel/launch';
import { gatewayAddresses, GatewayUserSettings } from '../../../gateway/src/gateway.settings.js';

/**
 * What marks the things that `spandrel demo` makes: they are found again by it, and nothing of the user's is taken for
 * them. Traces and the dataset have fixed ids; the connection has a base URL with a path that only the demo uses; capture
 * rule, datapoints, runs and queue items go with the dataset.
 */
export const DEMO_MARKS = {
  /** Capture rules that do not ask for it leave these traces out. */
  tag: DEMO_TAG,
  traceIdPrefix: 'spandrel-demo-',
  datasetId: 'spandrel-demo',
  sessionId: 'spandrel-demo-session',
  userId: 'spandrel-demo-user',
  /** Path of the fake model's base URL. */
  modelPath: '/spandrel-demo',
} as const;

/** The metadata of every trace of the demo. */
export const DEMO_METADATA = {
  demo: true,
  fake_model: 'the answers are made up by spandrel demo; no provider was called',
};

export interface DemoOptions {
  remove?: true;
  serve?: true;
  apiUrl?: string;
  gatewayUrl?: string;
  modelPort?: string;
  modelUrl?: string;
}

/** Where everything is that the demo talks to; `key` null: none is sent, `modelUrl` null: at its port on this machine. */
export type DemoSettings = ReturnType<typeof demoSettings>;

const PORT_MAX = 65_535;

/** Reads what `spandrel serve` reads, so that both agree on ports. @throws StartError with a line a fault. */
export function demoSettings(options: DemoOptions, args: readonly string[]) {
  const settings = loadSettings([GatewayUserSettings], { args, env: process.env, cwd: process.cwd() });
  const user = settings.of(GatewayUserSettings);
  const addresses = gatewayAddresses(user, settings.core);
  const apiUrl = baseUrl('--api-url', options.apiUrl ?? addresses.apiUrl);
  const api = new URL(apiUrl);
  const gatewayPort = user.port ?? (api.port === '' ? undefined : Number(api.port) + 1);
  if (options.gatewayUrl === undefined && gatewayPort === undefined) {
    throw new StartError(['--gateway-url: is needed where the URL of the API has no port of its own']);
  }
  const urls = Object.entries({ '--api-url': options.apiUrl, '--gateway-url': options.gatewayUrl });
  const flags = [...args, ...urls.flatMap(([flag, url]) => (url === undefined ? [] : [flag, url]))];
  return {
    apiUrl,
    gatewayUrl: baseUrl('--gateway-url', options.gatewayUrl ?? `${api.protocol}//${api.hostname}:${gatewayPort}`),
    key: user.apiKey,
    modelPort: readPort(options.modelPort ?? '0'),
    modelUrl: options.modelUrl === undefined ? null : baseUrl('--model-url', options.modelUrl),
    startCommand: ['npm start', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    demoCommand: ['npx spandrel demo', ...flags].join(' '),
  };
}

function baseUrl(flag: string, text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new StartError([`${flag}: must be an http or https URL`]);
  return text.replace(/(?<!\/)\/+$/, '');
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text);
  throw new StartError([`--model-port: must be a port, 0 to ${PORT_MAX}`]);
}
