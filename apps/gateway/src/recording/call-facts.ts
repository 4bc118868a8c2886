import type { Endpoint } from '@spandrel/plugin-api';
import type { CaptureSetting } from './capture.js';
import type { ProviderEntry } from '../target/provider-table.js';
import type { BufferedBody } from './body-buffer.js';
import type { Correlation } from './correlation.js';

/** Why what was said in a call is not in its recording, nothing that anybody asked for (docs/spec/gateway.md#content-that-is-withheld). */
export const WITHHELD_REASONS = ['too_many_credentials', 'deadline', 'busy', 'failed', 'stopped'] as const;
export type WithheldReason = (typeof WITHHELD_REASONS)[number];

/** What is known of a call when it begins; plain JSON, so that another thread can read it. */
export interface CallFacts {
  /** Id of its span. */
  id: string;
  traceId: string;
  parentId: string | null;
  trace: Correlation['trace'];
  /** Name of the provider, as the span shows it. */
  provider: string;
  /** The provider in whose wire format the call is written; its plugin finds the endpoint by method and path. */
  wire: { provider: string; method: string; path: string };
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** `startedAt` on the monotonic clock that times the pieces of the bodies. */
  startedTick: number;
  /** Host and path of a call whose `X-Forward-URL` seems to have the path of the call in it. */
  doubledPath?: string;
  capture: CaptureSetting;
  /** Set where what was said is left out for a reason of the gateway's own. */
  withheld?: WithheldReason;
  /** What `X-Spandrel-Capture` said when it was not understood. */
  captureNotUnderstood?: string;
  /** Names of the gateway's headers that it does not know, each with the one probably meant. */
  unknownHeaders?: Record<string, string | null>;
  /** `Content-Encoding` of the request. */
  requestEncoding: string | null;
  /** Name and model of a span that is over but for its answer, which this call may bring. */
  completes?: { name: string; model: string };
}

/** The plugin side of a call. */
export interface Wire {
  entry: ProviderEntry;
  endpoint: Endpoint;
}

/** What the recording needs of an answer's head. */
export interface AnswerFacts {
  status: number;
  statusMessage: string;
  contentType: string | null;
  contentEncoding: string | null;
  /** Bytes the body was announced to have. */
  contentLength: number | null;
}

/** How a call went. */
export type Outcome =
  | { kind: 'running' }
  /** The answer went to its end. */
  | { kind: 'answered' }
  | { kind: 'client-gone' }
  /** Upstream broke off after its head. */
  | { kind: 'cut'; reason: string }
  /** Upstream gave no answer; the gateway answered with `status`. */
  | { kind: 'unreachable'; status: number; reason: string }
  /** The gateway stopped or was killed. */
  | { kind: 'stopped' };

/** Everything that went by in a call, bodies without their content codings. */
export interface CallRecord {
  facts: CallFacts;
  wire: Wire;
  request: BufferedBody;
  answer: AnswerFacts | null;
  response: BufferedBody;
  outcome: Outcome;
  /** Time of the piece on the clock of {@link CallFacts.startedTick}. */
  endedTick: number;
}
