import { DomainError, Unavailable, withinMs, WrongCredential, type Clock, type Logger } from '@spandrel/kernel';
import { ERRORS, credentialSchema, type CredentialResource } from '@spandrel/contract';
import { CallerKey, keyDigest } from './caller-key.js';
import { readJson } from '@spandrel/plugin-api';
import { ApiRequests, isWrongCredential, untrustedCertificate, type ApiAnswer } from './api-requests.js';

/** Whether a caller may come in, and as whom. */
export type Verdict = { ok: true; caller: CallerKey } | Refused;
type Refused = { ok: false; error: DomainError };

export interface KeyCheckOptions {
  /** How long an answer of the API is good for; asked for again, in the background, after three quarters of it. */
  freshMs: number;
  /** How long a refusal is. */
  refusedMs: number;
  /** Keys that are remembered, and as many refusals. */
  keysMax?: number;
  /** Unknown keys that are asked about at once. */
  askingMax?: number;
  /** How long a call waits for the answer about a key whose last one is too old; beyond it that one stands. */
  patienceMs: number;
  /** How often the API is looked for while it is away. */
  retryMs?: number;
  /** Milliseconds on a clock that never goes back, by which answers grow old. */
  tick?: () => number;
}

interface Known {
  caller: CallerKey;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** When the API last confirmed it, on the clock of `tick`. */
  confirmedAt: number;
  /** The check under way, for calls that wait for its result. */
  soon: Promise<Verdict> | null;
}

/** The part of an answer's life after which it is asked for again. */
const REFRESH_AT = 0.75;

/** What a key may look like: nothing else is sent on in a header. */
const KEY = /^[\x21-\x7e]{1,8192}$/;

const refused = (error: DomainError): Refused => ({ ok: false, error });

const MISSING = refused(
  new DomainError(
    'unauthenticated',
    'A Spandrel key is needed: in the header X-Spandrel-Key, or as ?token= in the URL.',
  ),
);
const NOT_VALID = refused(new WrongCredential('The Spandrel key is not valid: it is unknown or was deleted.'));
const EXPIRED = refused(new DomainError('unauthenticated', 'The Spandrel key has expired.'));
const NOT_ALLOWED = refused(
  new DomainError('insufficient_scope', 'The Spandrel key needs the scope ingest or write, and a project.'),
);
const UNKNOWN_YET = refused(
  new Unavailable('The Spandrel key could not be checked: the Spandrel API did not answer. Try again soon.'),
);

/**
 * Lets callers in by their keys (docs/spec/gateway.md#how-long-an-answer-about-a-key-is-good). The answer for a key
 * that is known is there at once, or in a moment: the API is asked in the background, and while it is away, or as long
 * as it keeps silent, those it has let in before stay in.
 */
export class KeyChecks {
  private readonly options: Required<KeyCheckOptions>;
  /** Known keys by digest; the one checked longest ago comes first. */
  private readonly known = new Map<string, Known>();
  private readonly refusals = new Map<string, { verdict: Refused; until: number }>();
  private readonly asking = new Map<string, Promise<Verdict>>();
  private prober: NodeJS.Timeout | null = null;
  /** A question waits for longer than calls do, so that no other call waits too; ends when a question does. */
  private silent = false;
  private closed = false;

  constructor(
    private readonly client: CredentialClient,
    private readonly logger: Logger,
    private readonly clock: Clock,
    options: KeyCheckOptions,
  ) {
    this.options = { keysMax: 10_000, askingMax: 256, retryMs: 1_000, tick: () => performance.now(), ...options };
  }

  /** @param key of the request; `null` when it has none. @returns at once where the answer is known. */
  check(key: string | null): Verdict | Promise<Verdict> {
    if (key === null) return MISSING;
    if (!KEY.test(key)) return NOT_VALID;
    const digest = keyDigest(key);
    const known = this.known.get(digest);
    return known ? this.checkKnown(known) : this.checkUnknown(digest, key);
  }

  /** The API has refused a delivery with this key: it is asked about before it is let in again. */
  forget(digest: string): void {
    this.known.delete(digest);
  }

  /** Asks no more, and closes the connections of its client. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.prober) clearTimeout(this.prober);
    await this.client.close();
  }

  private get apiAway(): boolean {
    return this.prober !== null;
  }

  private checkKnown(known: Known): Verdict | Promise<Verdict> {
    const { caller, expiresAt } = known;
    if (this.clock.now() >= expiresAt) {
      this.known.delete(caller.digest);
      return EXPIRED;
    }
    const age = this.options.tick() - known.confirmedAt;
    const { freshMs } = this.options;
    if (age < freshMs * REFRESH_AT || this.apiAway) return { ok: true, caller };
    const asked = this.ask(caller, known);
    return age < freshMs || this.silent ? { ok: true, caller } : this.soon(known, asked);
  }

  /** The API's word when it comes in time, else its last one. */
  private soon(known: Known, asked: Promise<Verdict>): Promise<Verdict> {
    known.soon ??= withinMs(this.options.patienceMs, asked, (): Verdict => {
      this.silent = true;
      return { ok: true, caller: known.caller };
    });
    void asked.then(() => (known.soon = null));
    return known.soon;
  }

  private checkUnknown(digest: string, key: string): Verdict | Promise<Verdict> {
    const refusal = this.refusals.get(digest);
    if (refusal && this.options.tick() < refusal.until) return refusal.verdict;
    const asked = this.asking.get(digest);
    if (asked) return asked;
    if (this.apiAway || this.asking.size >= this.options.askingMax) return UNKNOWN_YET;
    return this.ask(new CallerKey(digest, key), null);
  }

  /** One question a key at a time. */
  private ask(caller: CallerKey, known: Known | null): Promise<Verdict> {
    const { digest } = caller;
    const asked = this.asking.get(digest);
    if (asked) return asked;
    const asking = this.client
      .ask(caller.authorization!)
      .then((answer) => this.judge(caller, known, answer))
      .finally(() => {
        this.asking.delete(digest);
        this.silent = false;
      });
    this.asking.set(digest, asking);
    return asking;
  }

  private judge(caller: CallerKey, known: Known | null, answer: CredentialAnswer): Verdict {
    switch (answer.kind) {
      case 'known':
        return this.learn(caller, answer);
      case 'refused':
        return this.refuse(caller.digest, NOT_VALID);
      case 'unavailable':
        this.lookFor(caller, answer.message);
        return known ? { ok: true, caller } : UNKNOWN_YET;
    }
  }

  private learn(caller: CallerKey, { credential }: CredentialAnswer & { kind: 'known' }): Verdict {
    const { digest } = caller;
    const { scopes, project_id: projectId, expires_at: expiresAt } = credential;
    if (projectId === null || !scopes.some((scope) => scope === 'ingest' || scope === 'write')) {
      return this.refuse(digest, NOT_ALLOWED);
    }
    const ends = expiresAt === null ? Infinity : Date.parse(expiresAt);
    // Anything but a moment to come: one that cannot be read, too.
    if (!(this.clock.now() < ends)) return this.refuse(digest, EXPIRED);
    this.refusals.delete(digest);
    const known = { caller, expiresAt: ends, confirmedAt: this.options.tick(), soon: null };
    remember(this.known, digest, known, this.options.keysMax);
    return { ok: true, caller };
  }

  private refuse(digest: string, verdict: Refused): Verdict {
    const { refusedMs, keysMax, tick } = this.options;
    this.known.delete(digest);
    remember(this.refusals, digest, { verdict, until: tick() + refusedMs }, keysMax);
    return verdict;
  }

  /** Asks until the API is back; as long as this goes on, it is away. */
  private lookFor(caller: CallerKey, reason: string): void {
    if (this.prober || this.closed) return;
    this.logger.warn(
      { reason },
      'the API does not answer, so keys cannot be checked; keys that were valid before are let in',
    );
    const again = async (): Promise<void> => {
      const answer = await this.client.ask(caller.authorization!);
      if (this.closed) return;
      if (answer.kind === 'unavailable') {
        this.prober = setTimeout(() => void again(), this.options.retryMs).unref();
        return;
      }
      this.prober = null;
      this.logger.info('the API answers again; keys are checked');
      this.judge(caller, this.known.get(caller.digest) ?? null, answer);
    };
    this.prober = setTimeout(() => void again(), this.options.retryMs).unref();
  }
}

/** Puts an entry last and takes off the first where there are too many. */
function remember<Value>(entries: Map<string, Value>, digest: string, value: Value, max: number): void {
  entries.delete(digest);
  entries.set(digest, value);
  if (entries.size > max) entries.delete(entries.keys().next().value!);
}

type CredentialAnswer =
  | { kind: 'known'; credential: CredentialResource }
  /** No key of its own, or no longer one. */
  | { kind: 'refused' }
  /** Nothing: it is away, or what answers is not the API. */
  | { kind: 'unavailable'; message: string };

/** Asks the API about keys: `GET /api/credential` (docs/spec/access.md#what-a-credential-is). */
export class CredentialClient {
  private readonly requests: ApiRequests;

  constructor(apiUrl: string, timeoutMs: number) {
    // The API closes idle connections at any time, and a question is not asked twice (ADR 0018).
    this.requests = new ApiRequests(apiUrl, timeoutMs, 8, true);
  }

  async ask(authorization: string): Promise<CredentialAnswer> {
    try {
      return readAnswer(await this.requests.send('/api/credential', authorization));
    } catch (error) {
      return { kind: 'unavailable', message: untrustedCertificate(error) ?? 'no answer' };
    }
  }

  async close(): Promise<void> {
    await this.requests.close();
  }
}

function readAnswer({ status, text }: ApiAnswer): CredentialAnswer {
  if (status === ERRORS.too_many_wrong_credentials.status && isWrongCredential(readJson(text)))
    return { kind: 'refused' };
  if (status === ERRORS.unauthenticated.status || status === ERRORS.insufficient_scope.status) {
    return { kind: 'refused' };
  }
  if (status !== 200) return { kind: 'unavailable', message: `HTTP ${status}` };
  const credential = credentialSchema.safeParse(readJson(text)).data;
  return credential
    ? { kind: 'known', credential }
    : { kind: 'unavailable', message: 'the answer is not that of a Spandrel API: check gateway.api_url' };
}
