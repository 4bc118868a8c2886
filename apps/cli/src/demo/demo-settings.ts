import { DEMO_TAG } from '@spandrel/contract';
import { loadSettings } from '@spandrel/kernel/launch';
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

export const DEMO_METADATA = {
  demo: true,
  fake_model: 'the answers are made up by spandrel demo; no provider was called',
};

/** Where everything is that the demo talks to. */
export type DemoSettings = ReturnType<typeof demoSettings>;

/** Reads what `spandrel serve` reads, so that both agree on ports. @throws StartError with a line a fault. */
export function demoSettings(args: readonly string[]) {
  const settings = loadSettings([GatewayUserSettings], { args, env: process.env, cwd: process.cwd() });
  const { port, apiUrl } = gatewayAddresses(settings.of(GatewayUserSettings), settings.core);
  const flags = args.map((flag) => ` ${flag}`).join('');
  return {
    ...{ apiUrl, gatewayUrl: `http://127.0.0.1:${port}` },
    hasDashboard: settings.core.features?.includes('dashboard') ?? true,
    startCommand: `npm start${flags && ` --${flags}`}`,
    demoCommand: `npx spandrel demo${flags}`,
  };
}
