import { hash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Admission, Caller, Gatekeeper, Proof } from '@spandrel/http';
import { CoreSettings, DomainError, BackgroundTasks } from '@spandrel/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessSettings } from '../access.settings.js';
import { isOwnPage, pageFromElsewhere, SessionCookie } from '../browser-sessions/session-cookie.js';
import { KnownSessions, Credentials } from './credentials.js';
import { AccessMemory } from './access-memory.js';
import { limitHeaders, rateLimited, RateLimits } from '../limits/rate-limits.js';
import type { CountedRequest, Rates } from '../limits/take-tokens.js';
import { NotConfirmed } from '../people/confirm-person.js';
import { NoteUse } from './note-use.js';
import { expired, notValid, sessionEnded } from '../answers.js';

const CREDENTIAL_LENGTH_MAX = 8_192;

/** Lets requests of cloud mode in (docs/spec/access.md#credentials). */
@Injectable()
export class CredentialGatekeeper implements Gatekeeper {
  private readonly operator: OperatorTokens;
  private readonly open: OpenRequests;
  private readonly rates = new WeakMap<Caller, Rates>();
  private readonly cookie: SessionCookie;

  constructor(
    private readonly credentials: Credentials,
    private readonly sessions: KnownSessions,
    private readonly noteUse: NoteUse,
    private readonly limits: RateLimits,
    core: CoreSettings,
    private readonly settings: AccessSettings,
    memory: AccessMemory,
    tasks: BackgroundTasks,
  ) {
    this.operator = new OperatorTokens(settings, core);
    this.cookie = new SessionCookie(settings.insecureCookie);
    this.open = new OpenRequests(settings.eventStreams);
    const recheck = tasks.add({
      everyMs: 400,
      task: () => this.endInvalid(),
      failure: 'the credentials of open event streams could not be checked',
    });
    memory.onForgotten(() => recheck.hurry());
  }

  get feedbackOrigins(): readonly string[] {
    return this.settings.feedbackOrigins;
  }

  cookieOf({ method, headers }: FastifyRequest): string | undefined {
    const token = this.cookie.read(headers.cookie);
    if (token === undefined) return undefined;
    if (method === 'GET' || method === 'HEAD') return headers['sec-fetch-site'] === 'cross-site' ? undefined : token;
    if (isOwnPage(headers, this.settings.dashboardOrigin) !== true) throw pageFromElsewhere();
    return token;
  }

  async authenticate(proof: Proof): Promise<Caller> {
    const { by, text, project } = proof;
    if (by === 'credential') {
      if (text.length > CREDENTIAL_LENGTH_MAX) throw notValid();
      const operator = this.operator.find(text);
      if (operator) return operator;
    }
    const known = await (by === 'cookie' ? this.sessions.find(text, project) : this.credentials.find(text));
    if (!known) throw by === 'cookie' ? sessionEnded() : notValid();
    const { caller, rates } = known;
    if (caller.expiresAt !== null && caller.expiresAt <= Date.now()) throw by === 'cookie' ? sessionEnded() : expired();
    this.rates.set(caller, rates);
    return caller;
  }

  async admit(
    caller: Caller,
    proof: Proof,
    request: FastifyRequest,
    reply: FastifyReply,
    { counted, lasting, routeLimit }: Admission,
  ): Promise<void> {
    const { scope, expiresAt, permissions } = caller;
    if (!scope) return;
    const rates = counted ? this.rates.get(caller) : undefined;
    const keyId = caller.kind === 'api_key' ? caller.id : null;
    if (rates && routeLimit) {
      const { operation, perSecond } = routeLimit;
      await this.count({ ...scope, keyId, routeId: operation, rates: { ...rates, route: perSecond } }, reply);
    } else if (rates) await this.count({ ...scope, keyId, rates }, reply);
    if (caller.sessionId !== undefined) this.noteUse.ofSession(caller.sessionId);
    if (keyId !== null) this.noteUse.ofKey(keyId);
    if (lasting) this.open.add({ orgId: scope.orgId, proof, expiresAt, permissions }, request, reply);
  }

  private async count(request: CountedRequest, reply: FastifyReply): Promise<void> {
    const taken = await this.limits.take(request);
    void reply.headers(limitHeaders(taken));
    if (taken.refusedBy !== null) throw rateLimited(taken.refusedBy, taken);
  }

  private async endInvalid(): Promise<void> {
    this.open.endExpired(Date.now());
    await Promise.all(this.open.proofs().map((proof) => this.endIfInvalid(proof)));
  }

  /** What cannot be found out just now stays open, but for a person whom the identity provider was to confirm by now. */
  private async endIfInvalid(proof: Proof): Promise<void> {
    try {
      this.open.endOther(proof, await this.authenticate(proof));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isRefused = error.code === 'unauthenticated' || error.code === 'project_not_found';
      if (isRefused || error instanceof NotConfirmed) this.open.end(proof);
    }
  }
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The tokens of the settings: what the operator of the service holds (docs/spec/access.md#the-operators-tokens). */
class OperatorTokens {
  private readonly tokens: readonly { digest: Buffer; caller: Caller }[];

  constructor(
    { adminToken }: Pick<AccessSettings, 'adminToken'>,
    { metricsToken }: Pick<CoreSettings, 'metricsToken'>,
  ) {
    const operator = { scope: null, permissions: [], expiresAt: null };
    this.tokens = [
      ...(adminToken === null
        ? []
        : [{ digest: digest(adminToken), caller: { kind: 'admin_token' as const, id: 'admin', ...operator } }]),
      ...(metricsToken === null
        ? []
        : [{ digest: digest(metricsToken), caller: { kind: 'metrics_token' as const, id: 'metrics', ...operator } }]),
    ];
  }

  /** The caller that a token belongs to. Takes the same time for tokens that exist and that do not. */
  find(credential: string): Caller | undefined {
    if (this.tokens.length === 0) return undefined;
    const given = digest(credential);
    return this.tokens.find((token) => timingSafeEqual(token.digest, given))?.caller;
  }
}

interface Open extends Omit<Opener, 'orgId'> {
  sockets: Set<Socket>;
}

interface Opener {
  orgId: string;
  proof: Proof;
  /** When the credential ends, in milliseconds since the epoch; `null`: never. */
  expiresAt: number | null;
  permissions: Caller['permissions'];
}

/** Seconds of `Retry-After`: streams end when their clients leave, not by the second. */
const RETRY_AFTER_SECONDS = 10;

/** Event streams of this process, by credential (docs/spec/events.md#streams-of-an-organization). */
export class OpenRequests {
  private readonly byProof = new Map<string, Open>();
  private readonly countOf = new Map<string, number>();

  /** @param perOrganization how many one organization may have open. */
  constructor(private readonly perOrganization: number) {}

  /** Keeps the connection of a request in mind until its answer is over. @throws DomainError `rate_limited`. */
  add({ orgId, proof, ...credential }: Opener, request: FastifyRequest, reply: FastifyReply): void {
    const { socket } = request.raw;
    // A client that left while its credential was looked at: nothing closes any more.
    if (socket.destroyed) return;
    const count = this.countOf.get(orgId) ?? 0;
    if (count >= this.perOrganization) throw this.tooMany();
    this.countOf.set(orgId, count + 1);
    const key = keyOf(proof);
    const open = this.byProof.get(key) ?? { proof, ...credential, sockets: new Set() };
    this.byProof.set(key, open);
    open.sockets.add(socket);
    let isOver = false;
    const over = (): void => {
      // A connection that breaks off closes its answer first, and goes on to notify those that listened when it began.
      if (isOver) return;
      isOver = true;
      reply.raw.off('close', over);
      socket.off('close', over);
      const left = this.countOf.get(orgId)! - 1;
      if (left === 0) this.countOf.delete(orgId);
      else this.countOf.set(orgId, left);
      open.sockets.delete(socket);
      if (open.sockets.size === 0 && this.byProof.get(key) === open) this.byProof.delete(key);
    };
    reply.raw.once('close', over);
    // An answer whose turn on its connection never comes does not close.
    socket.once('close', over);
  }

  /** The credentials and sessions that have a request open. */
  proofs(): Proof[] {
    return [...this.byProof.values()].map(({ proof }) => proof);
  }

  /** Breaks off all that a credential or session has open. */
  end(proof: Proof): void {
    for (const socket of this.byProof.get(keyOf(proof))?.sockets ?? []) socket.destroy();
  }

  /** Breaks off what was begun with other permissions: who listens is to find out about those of now. */
  endOther(proof: Proof, { permissions }: Pick<Caller, 'permissions'>): void {
    if (this.byProof.get(keyOf(proof))?.permissions.join() !== permissions.join()) this.end(proof);
  }

  /** Breaks off what credentials have open that have ended: that needs no database. */
  endExpired(now: number): void {
    for (const { proof, expiresAt } of this.byProof.values()) {
      if (expiresAt !== null && expiresAt <= now) this.end(proof);
    }
  }

  private tooMany(): DomainError {
    const most = this.perOrganization;
    return new DomainError(
      'rate_limited',
      `the organization has ${most} event ${most === 1 ? 'stream' : 'streams'} open at this server, as many as it may`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}

const keyOf = ({ by, text, project = '' }: Proof): string => `${by} ${text} ${project}`;
