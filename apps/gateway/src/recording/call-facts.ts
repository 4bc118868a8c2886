import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '@spandrel/plugin-api';
import { clientIdSchema, KEY_LENGTH_MAX, isStorableText, NAME_LENGTH_MAX, TAGS_MAX } from '@spandrel/contract';
import { nearestName } from '@spandrel/kernel';
import type { CaptureSetting } from './capture.js';
import type { ProviderEntry } from '../target/provider-table.js';
import type { BufferedBody } from './body-buffer.js';

/** Why what was said in a call is not in its recording, nothing that anybody asked for (docs/spec/gateway.md#content-that-is-withheld). */
export const WITHHELD_REASONS = ['too_many_credentials', 'deadline', 'busy', 'failed', 'stopped'] as const;
export type WithheldReason = (typeof WITHHELD_REASONS)[number];

/** What is known of a call when it begins; plain JSON, so that another thread can read it. */
export interface CallFacts {
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

export interface AnswerFacts {
  status: number;
  statusMessage: string;
  contentType: string | null;
  contentEncoding: string | null;
  /** Bytes the body was announced to have. */
  contentLength: number | null;
}

export type Outcome =
  | { kind: 'running' }
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

/** What a call's headers say about its trace, malformed ones left out (docs/spec/gateway.md#the-trace-of-a-call). */
interface Correlation {
  traceId: string | null;
  parentId: string | null;
  trace: { name?: string; session_id?: string; user_id?: string; tags?: string[] };
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Reads `X-Spandrel-*` and W3C `traceparent`; the former win. */
export function correlationOf(headers: IncomingHttpHeaders): Correlation {
  const w3c = parseTraceparent(headers['traceparent']);
  const traceId = id(headers['x-spandrel-trace-id']);
  const parentId = id(headers['x-spandrel-parent-id']);
  const trace: Correlation['trace'] = {};
  const name = text(headers['x-spandrel-name'], NAME_LENGTH_MAX);
  const session = text(headers['x-spandrel-session-id'], KEY_LENGTH_MAX);
  const user = text(headers['x-spandrel-user-id'], KEY_LENGTH_MAX);
  const tags = tagList(headers['x-spandrel-tags']);
  if (name !== null) trace.name = name;
  if (session !== null) trace.session_id = session;
  if (user !== null) trace.user_id = user;
  if (tags.length > 0) trace.tags = tags;
  const sameTrace = traceId === null || traceId === w3c?.traceId;
  return {
    traceId: traceId ?? w3c?.traceId ?? null,
    parentId: parentId ?? (sameTrace ? (w3c?.parentId ?? null) : null),
    trace,
  };
}

/** https://www.w3.org/TR/trace-context/: later versions may add to the end, all-zero ids are none. */
function parseTraceparent(header: unknown): { traceId: string; parentId: string } | null {
  if (typeof header !== 'string') return null;
  const match = TRACEPARENT.exec(header.trim());
  if (!match || match[1] === 'ff' || (match[1] === '00' && match[4] !== undefined)) return null;
  const [, , traceId, parentId] = match;
  return /^0+$/.test(traceId!) || /^0+$/.test(parentId!) ? null : { traceId: traceId!, parentId: parentId! };
}

function id(header: unknown): string | null {
  return typeof header === 'string' && clientIdSchema.safeParse(header).success ? header : null;
}

function text(header: unknown, lengthMax: number): string | null {
  if (typeof header !== 'string' || header === '') return null;
  const decoded = decodeHeader(header);
  return decoded.length <= lengthMax && isStorableText(decoded) ? decoded : null;
}

function tagList(header: unknown): string[] {
  if (typeof header !== 'string') return [];
  const tags: string[] = [];
  for (const written of header.split(',')) {
    const tag = text(written.trim(), KEY_LENGTH_MAX);
    if (tag !== null && tags.push(tag) === TAGS_MAX) break;
  }
  return tags;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Header bytes arrive as latin1; most clients mean UTF-8 by what is not ASCII. */
function decodeHeader(header: string): string {
  if (!/[\x80-\xff]/.test(header)) return header;
  try {
    return UTF8.decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}

const PREFIX = 'x-spandrel-';
const KNOWN = ['key', 'capture', 'trace-id', 'parent-id', 'session-id', 'user-id', 'tags', 'name', 'cassette'];

/** The most that a span names. */
const SHOWN_MAX = 8;
const SHOWN_NAME_LENGTH_MAX = 64;

/**
 * Headers that are addressed to the gateway and that it does not know, each with the one that was probably meant; `null`
 * where none is near (docs/spec/gateway.md#unknown-headers).
 */
export function unknownHeaders(headers: IncomingHttpHeaders): Record<string, string | null> {
  const unknown: Record<string, string | null> = {};
  let shown = 0;
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(PREFIX)) continue;
    const own = name.slice(PREFIX.length);
    if (KNOWN.includes(own) || shown++ >= SHOWN_MAX) continue;
    const meant = nearestName(own.slice(0, SHOWN_NAME_LENGTH_MAX), KNOWN);
    unknown[name.slice(0, SHOWN_NAME_LENGTH_MAX)] = meant === undefined ? null : PREFIX + meant;
  }
  return unknown;
}
