import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  CoreSettings,
  DomainError,
  LOGGER,
  PeriodicTask,
  type Admission,
  type Caller,
  type Gatekeeper,
  type Logger,
} from '@spandrel/kernel';
import { AccessSettings } from '../access.settings.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Credentials } from './credentials.js';
import { limitHeaders, rateLimited } from '../limits/limit-headers.js';
import { RateLimits } from '../limits/rate-limits.js';
import { OpenRequests } from '../limits/open-requests.js';
import { OperatorTokens } from './operator-tokens.js';
import { expired, notValid } from './unauthenticated.js';

/** Longer than any credential that means something. */
const CREDENTIAL_LENGTH_MAX = 8_192;

/** How often the credentials of open streams are looked at again. */
const RECHECK_MS = 400;

/** Lets requests of cloud mode in (docs/spec/access.md#credentials). */
@Injectable()
export class CredentialGatekeeper implements Gatekeeper, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly operator: OperatorTokens;
  private readonly open: OpenRequests;
  private readonly perSecond = new WeakMap<Caller, number>();
  private readonly recheck: PeriodicTask;

  constructor(
    private readonly credentials: Credentials,
    private readonly limits: RateLimits,
    core: CoreSettings,
    settings: AccessSettings,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.operator = new OperatorTokens(settings, core);
    this.open = new OpenRequests(settings.eventStreams);
    this.recheck = new PeriodicTask({
      everyMs: RECHECK_MS,
      task: () => this.endInvalid(),
      failure: 'the credentials of open event streams could not be checked',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.recheck.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.recheck.stop();
  }

  async authenticate(credential: string): Promise<Caller> {
    if (credential.length > CREDENTIAL_LENGTH_MAX) throw notValid();
    const operator = this.operator.find(credential);
    if (operator) return operator;
    const known = await this.credentials.find(credential);
    if (!known) throw notValid();
    const { caller, perSecond } = known;
    if (caller.expiresAt !== null && caller.expiresAt <= Date.now()) throw expired();
    this.perSecond.set(caller, perSecond);
    return caller;
  }

  async admit(
    caller: Caller,
    credential: string,
    request: FastifyRequest,
    reply: FastifyReply,
    { counted, lasting }: Admission,
  ): Promise<void> {
    const { scope, expiresAt } = caller;
    if (!scope) return;
    const perSecond = counted ? this.perSecond.get(caller) : undefined;
    if (perSecond !== undefined) await this.count(scope.orgId, perSecond, reply);
    if (lasting) this.open.add({ orgId: scope.orgId, credential, expiresAt }, request, reply);
  }

  private async count(orgId: string, perSecond: number, reply: FastifyReply): Promise<void> {
    const taken = await this.limits.take(orgId, perSecond);
    void reply.headers(limitHeaders(taken));
    if (!taken.allowed) throw rateLimited(taken);
  }

  private async endInvalid(): Promise<void> {
    this.open.endExpired(Date.now());
    await Promise.all(this.open.credentials().map((credential) => this.endIfInvalid(credential)));
  }

  /** What cannot be found out just now stays open. */
  private async endIfInvalid(credential: string): Promise<void> {
    try {
      await this.authenticate(credential);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'unauthenticated') this.open.end(credential);
    }
  }
}
