import type { CoreSettings } from '@spandrel/kernel';
import type { GatewayUserSettings } from './gateway.settings.js';

/**
 * What the gateway gets at start: the users' settings ({@link GatewayUserSettings}), and what code
 * decides. Sizes in bytes, times in milliseconds.
 */
export interface GatewaySettings extends Omit<GatewayUserSettings, 'enabled' | 'port' | 'apiUrl' | 'publicUrl'> {
  port: number;
  apiUrl: string;
  host: string;
  mode: CoreSettings['mode'];
  /** Cloud mode: reads `/metrics`; `null`: everyone does. */
  metricsToken: string | null;
  /** Networks of proxies that tell the address of a client. */
  trustProxy: readonly string[];
  /** Wrong keys that an address has a minute. */
  wrongCredentials: number;
  /** How long the API's answer about a caller's key is good for, and its refusal. */
  keyFreshMs: number;
  keyRefusedMs: number;
  /** How long a call of a known caller waits for the API's word once the last one is too old. */
  keyPatienceMs: number;
  /** One question about a key. */
  keyCheckMs: number;
  /** All bodies of all calls in flight together; beyond it recordings are cut short. */
  recordBytesTotal: number;
  /** Calls whose bodies have at most so many bytes together are read at once, longer ones in a thread. */
  readHereBytes: number;
  /** How long a thread may read one call. */
  readMs: number;
  /** How long recordings gather before they are sent. */
  flushMs: number;
  /** From this age on a call is shown as running; one that is over sooner is sent once, whole. */
  announceMs: number;
  upstreamConnectMs: number;
  /** Longest time from the request's last byte to the answer's head. A streamed body has no limit. */
  upstreamHeadMs: number;
  /** One delivery to the API. */
  deliverMs: number;
  /** The whole stop: calls in flight first, then the spool. */
  shutdownMs: number;
}

/** {@link GatewaySettings.flushMs} of cloud mode: a credential's deliveries count as requests of its organization. */
export const CLOUD_FLUSH_MS = 200;

/** What is taken where the caller does not say. */
export const GATEWAY_DEFAULTS: GatewaySettings = Object.freeze({
  host: '127.0.0.1',
  port: 3001,
  mode: 'local',
  metricsToken: null,
  trustProxy: [],
  wrongCredentials: 20,
  keyFreshMs: 60_000,
  keyRefusedMs: 5_000,
  keyPatienceMs: 250,
  keyCheckMs: 3_000,
  apiUrl: 'http://127.0.0.1:3000',
  apiKey: null,
  capture: { mode: 'full' },
  askForUsage: false,
  spoolDir: null,
  spoolSync: 'interval',
  spoolItems: 10_000,
  spoolBytes: 64 * 1024 * 1024,
  recordBytes: 8 * 1024 * 1024,
  recordBytesTotal: 256 * 1024 * 1024,
  readHereBytes: 256 * 1024,
  readMs: 5_000,
  forwardAllow: [],
  allowPrivate: [],
  flushMs: 20,
  announceMs: 200,
  upstreamConnectMs: 10_000,
  upstreamHeadMs: 600_000,
  deliverMs: 10_000,
  shutdownMs: 10_000,
} satisfies GatewaySettings);
