import type { CaptureSetting } from '@spandrel/kernel';

/** What the gateway is told at start; `config/default.yaml` maps onto it. Sizes in bytes, times in milliseconds. */
export interface GatewaySettings {
  host: string;
  /** 0 takes a free port. */
  port: number;
  mode: 'local' | 'cloud';
  /** Base of the API server, without a trailing slash. */
  apiUrl: string;
  /** Sent to the API as `Authorization: Bearer`; `null` in local mode. */
  apiKey: string | null;
  /** The most that is recorded; a call's `X-Spandrel-Capture` may only lower it. */
  capture: CaptureSetting;
  /** Directory that keeps recordings over a crash of the gateway; `null` keeps them in memory only. */
  spoolDir: string | null;
  /** Recordings waiting for the API; beyond it the newest are dropped and counted. */
  spoolItems: number;
  spoolBytes: number;
  /** Of each body, what is kept for its recording; beyond it the middle is left out. */
  recordBytes: number;
  /** All bodies of all calls in flight together; beyond it recordings are cut short. */
  recordBytesTotal: number;
  /** Cloud mode: where `X-Forward-URL` may lead: `host`, `host:port` or `*.domain`. */
  forwardAllow: readonly string[];
  /** How long recordings gather before they are sent. */
  flushMs: number;
  upstreamConnectMs: number;
  /** From the request's last byte to the answer's head. A streamed body has no limit. */
  upstreamHeadMs: number;
  /** One delivery to the API. */
  deliverMs: number;
  /** The whole stop: calls in flight first, then the spool. */
  shutdownMs: number;
}

/** What is taken where the caller does not say. */
export const GATEWAY_DEFAULTS: GatewaySettings = Object.freeze({
  host: '127.0.0.1',
  port: 3001,
  mode: 'local',
  apiUrl: 'http://127.0.0.1:3000',
  apiKey: null,
  capture: { mode: 'full' },
  spoolDir: null,
  spoolItems: 10_000,
  spoolBytes: 64 * 1024 * 1024,
  recordBytes: 8 * 1024 * 1024,
  recordBytesTotal: 256 * 1024 * 1024,
  forwardAllow: [],
  flushMs: 20,
  upstreamConnectMs: 10_000,
  upstreamHeadMs: 600_000,
  deliverMs: 10_000,
  shutdownMs: 10_000,
} satisfies GatewaySettings);
