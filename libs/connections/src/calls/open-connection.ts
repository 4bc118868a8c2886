import type { ConnectionTarget, HttpRequest, Provider } from '@spandrel/plugin-api';
import { jsonTextInPieces, looseJsonInPieces } from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import { ConnectionCallError } from './decode-answer.js';
import type { CallOptions, ConnectionClient } from './connection-client.js';
import { KeyRedaction } from '../keys/key-redaction.js';

export interface ConnectionReply {
  readonly status: number;
  /** The body as JSON; `undefined` when it is none. */
  readonly body: unknown;
  /** The first few hundred characters of the body as text, redacted: for error messages. */
  readonly excerpt: string;
  readonly latencyMs: number;
  /** How long its `Retry-After` asks to wait, in ms; absent when it has none. */
  readonly retryAfterMs?: number | undefined;
}

const EXCERPT_LENGTH = 300;
const SAID_LENGTH = 10_000;

/** Values of an answer, as a body's are counted: a hundred vectors have some 400,000. */
const ANSWER_VALUES_MAX = 1_000_000;

/** Headers that are the client's own affair, whatever a plugin says. */
const OWN_HEADERS =
  /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

export interface OpenConnectionParts {
  id: string;
  name: string;
  providerName: string;
  provider: Provider;
  target: ConnectionTarget;
  /** Whether its calls may go to public addresses alone. */
  guarded: boolean;
  /** Whether errors may name its server. */
  named: boolean;
  client: ConnectionClient;
}

/** A connection opened for calls. It holds the key: do not keep it longer than the work it is for. */
export type OpenConnection = Pick<OpenedConnection, keyof OpenedConnection>;

/** See {@link OpenConnection}. Its secrets are private, so that no log and no JSON shows them. */
export class OpenedConnection {
  readonly id: string;
  readonly name: string;
  readonly providerName: string;
  /** What errors call its server: scheme, host and port of its base, unless those are the operator's own affair. */
  readonly server: string;
  readonly #parts: OpenConnectionParts;
  readonly #origin: string | undefined;
  readonly #redaction: KeyRedaction;

  constructor(parts: OpenConnectionParts) {
    this.id = parts.id;
    this.name = parts.name;
    this.providerName = parts.providerName;
    this.#parts = parts;
    this.#origin = originOf(parts.target.baseUrl ?? parts.provider.defaultBaseUrl);
    this.server = (parts.named && this.#origin) || `the server of the provider ${parts.providerName}`;
    this.#redaction = new KeyRedaction(parts.target.apiKey);
  }

  get provider(): Provider {
    return this.#parts.provider;
  }

  get target(): ConnectionTarget {
    return this.#parts.target;
  }

  /**
   * Sends one request and waits for the whole answer; redirects are answers like others.
   * @param request for the connection's own server (scheme, host and port of its base): the key goes nowhere else.
   * @throws ConnectionCallError when the request is for another server (nothing is sent then), on network failure, when
   *   the time is over or the signal fires, and when the answer is over 32 MiB.
   */
  async send(request: HttpRequest, options: CallOptions): Promise<ConnectionReply> {
    const answer = await this.#parts.client.send(
      {
        origin: this.#origin!,
        server: this.server,
        path: this.#pathOf(request.url),
        method: request.method,
        headers: wireHeaders(request.headers),
        body: request.body === undefined ? null : await bodyText(request.body),
        guarded: this.#parts.guarded,
      },
      options,
    );
    const text = answer.body?.toString('utf8') ?? '';
    const redaction = this.#redaction;
    return {
      status: answer.status,
      latencyMs: answer.latencyMs,
      retryAfterMs: readRetryAfter(answer.retryAfter, Date.now()),
      body: await readBody(text),
      // Made when it is asked for: most replies are never shown.
      get excerpt() {
        return redaction.excerpt(text, EXCERPT_LENGTH);
      },
    };
  }

  /** @throws ConnectionCallError `refused` for a URL of another server. */
  #pathOf(called: string): string {
    const url = URL.parse(called);
    if (url === null || url.origin !== this.#origin || url.username !== '' || url.password !== '') {
      throw new ConnectionCallError('refused', 'the provider plugin would call another server than the connection’s');
    }
    return url.pathname + url.search;
  }

  /** The first {@link SAID_LENGTH} characters of a text without the connection's key, and without what is left of one that was masked. */
  redact(text: string): string {
    return this.#redaction.excerpt(text, SAID_LENGTH);
  }

  /** What a model said, however long, without the key; a key of plain words (`none`) stays in it. */
  redactOutput(text: string): Promise<string> {
    return this.#redaction.redactOutput(text);
  }

  /** What {@link redactOutput} says of an output that is still coming, without an end that may become the key. */
  redactBegun(text: string): string {
    return this.#redaction.settled(text);
  }
}

/** Scheme, host and port that a connection's calls go to; `undefined` when it has no base. */
export function originOf(base: string | null): string | undefined {
  return base === null ? undefined : URL.parse(base)?.origin;
}

/** An answer's body; `undefined` for what is no JSON or has more values than a body may. Others have their turn meanwhile. */
function readBody(text: string): Promise<unknown> {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  return inTurns(looseJsonInPieces(json, ANSWER_VALUES_MAX)).catch(() => undefined);
}

/** How long `Retry-After` asks to wait, in ms, as seconds or as a date (RFC 9110, 10.2.3). @param now since the epoch. */
export function readRetryAfter(header: string, now: number): number | undefined {
  const text = header.trim();
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function wireHeaders(headers: Record<string, string>): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const name in headers) if (!OWN_HEADERS.test(name)) sent[name] = headers[name]!;
  sent['accept-encoding'] = 'identity';
  return sent;
}

async function bodyText(body: unknown): Promise<string> {
  try {
    return await inTurns(jsonTextInPieces(body));
  } catch {
    throw new ConnectionCallError('refused', 'the provider plugin built a body that is no JSON');
  }
}
