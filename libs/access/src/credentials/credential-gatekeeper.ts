import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Admission, Caller, Gatekeeper, Proof } from '@spandrel/http';
import { CoreSettings, DomainError, LOGGER, PeriodicTask, type Logger } from '@spandrel/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessSettings } from '../access.settings.js';
import { isOwnPage, pageFromElsewhere, SessionCookie } from '../browser-sessions/session-cookie.js';
import { KnownSessions } from '../browser-sessions/known-sessions.js';
import { AccessMemory } from './access-memory.js';
import { Credentials } from './credentials.js';
import { limitHeaders, rateLimited, RateLimits } from '../limits/rate-limits.js';
import type { CountedRequest, Rates } from '../limits/take-tokens.js';
import { OpenRequests } from '../limits/open-requests.js';
import { NotConfirmed } from '../people/confirm-person.js';
import { NoteUse } from './note-use.js';
import { expired, notValid, sessionEnded } from '../answers.js';

const CREDENTIAL_LENGTH_MAX = 8_192;

/** Lets requests of cloud mode in (docs/spec/access.md#credentials). */
@Injectable()
export class CredentialGatekeeper implements Gatekeeper, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly operator: OperatorTokens;
  private readonly open: OpenRequests;
  private readonly rates = new WeakMap<Caller, Rates>();
  private readonly cookie: SessionCookie;
  private readonly recheck: PeriodicTask;

  constructor(
    private readonly credentials: Credentials,
    private readonly sessions: KnownSessions,
    private readonly noteUse: NoteUse,
    private readonly limits: RateLimits,
    core: CoreSettings,
    private readonly settings: AccessSettings,
    memory: AccessMemory,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.operator = new OperatorTokens(settings, core);
    this.cookie = new SessionCookie(settings.insecureCookie);
    this.open = new OpenRequests(settings.eventStreams);
    this.recheck = new PeriodicTask({
      everyMs: 400,
      task: () => this.endInvalid(),
      failure: 'the credentials of open event streams could not be checked',
      logger,
    });
    memory.onForgotten(() => this.recheck.hurry());
  }

  onApplicationBootstrap(): void {
    this.recheck.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.recheck.stop();
  }

  cookieOf({ method, headers }: FastifyRequest): string | undefined {
    const token = this.cookie.read(headers.cookie);
    if (token === undefined) return undefined;
    if (method === 'GET' || method === 'HEAD') return headers['sec-fetch-site'] === 'cross-site' ? undefined : token;
    if (isOwnPage(headers, this.settings.dashboardOrigin) !== true) throw pageFromElsewhere();
    return token;
  }

  async authenticate(proof: Proof): Promise<Caller> {
    const { by, text } = proof;
    if (by === 'credential') {
      if (text.length > CREDENTIAL_LENGTH_MAX) throw notValid();
      const operator = this.operator.find(text);
      if (operator) return operator;
    }
    const known = await (by === 'cookie' ? this.sessions.find(text) : this.credentials.find(text));
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
    const { scope, expiresAt } = caller;
    if (!scope) return;
    const rates = counted ? this.rates.get(caller) : undefined;
    const keyId = caller.kind === 'api_key' ? caller.id : null;
    if (rates && routeLimit) {
      const { operation, perSecond } = routeLimit;
      await this.count({ ...scope, keyId, routeId: operation, rates: { ...rates, route: perSecond } }, reply);
    } else if (rates) await this.count({ ...scope, keyId, rates }, reply);
    if (caller.sessionId !== undefined) this.noteUse.ofSession(caller.sessionId);
    if (keyId !== null) this.noteUse.ofKey(keyId);
    if (lasting) this.open.add({ orgId: scope.orgId, proof, expiresAt }, request, reply);
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
      await this.authenticate(proof);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'unauthenticated' || error instanceof NotConfirmed) this.open.end(proof);
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
