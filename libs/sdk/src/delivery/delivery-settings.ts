import type { Timers } from './timers.js';

export interface DeliverySettings {
  /** Address of the API, such as `http://127.0.0.1:3000`; it has been checked. */
  apiUrl: string;
  apiKey?: string | undefined;
  /** Bytes that wait at most, counted as they are sent. */
  queueBytes: number;
  /** Sends at once what ends, instead of gathering for a second: for functions that are frozen after their answer. */
  immediate?: boolean | undefined;
  /** Keeps a function awake: it is given a promise that resolves once nothing waits, after 30 s at the latest. Nothing gathers. */
  waitUntil?: ((settled: Promise<void>) => void) | undefined;
  fetch?: typeof fetch | undefined;
  /** Takes a sentence for a person: spans were dropped, the key is refused. A throw of it changes nothing. */
  onReport: (sentence: string) => void;
  timers?: Timers | undefined;
  /** From 0 to 1, for the jitter. */
  random?: (() => number) | undefined;
  /** Times and sizes that only tests and benches set otherwise. */
  pace?: Partial<Pace> | undefined;
}

/** Times in milliseconds and sizes of a batch. */
export const PACE = {
  /** How long the first item of a batch waits for others. */
  gatherMs: 1_000,
  batchItems: 512,
  batchBytes: 1_048_576,
  /** The pause after a failure; it doubles up to `retryMaxMs`. */
  retryMs: 500,
  retryMaxMs: 30_000,
  /** A pause that the server asks for is cut to this. */
  retryAfterMaxMs: 600_000,
  /** The pause while the API refuses the key. */
  deniedMs: 60_000,
  /** How long a request may take; each that takes longer doubles it, up to `requestMaxMs`. */
  requestMs: 10_000,
  requestMaxMs: 30_000,
  reportMs: 60_000,
  /** How long the end of the process is held up for what still waits. */
  exitMs: 5_000,
  signalMs: 2_000,
  waitUntilMs: 30_000,
};
export type Pace = typeof PACE;
