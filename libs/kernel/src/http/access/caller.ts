import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiScope } from '@spandrel/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../scope.js';

/** Whose credential a request carries. */
export interface Caller {
  readonly kind: 'api_key' | 'jwt' | 'admin_token' | 'metrics_token';
  /** Id of the key, `sub` of the JWT, `admin`, `metrics`. */
  readonly id: string;
  /** The organization and project that the credential is for; `null` for the operator, who has none. */
  readonly scope: Scope | null;
  readonly scopes: readonly ApiScope[];
  /** Milliseconds since the epoch; `null`: it does not end. */
  readonly expiresAt: number | null;
}

/** How a request is let in, which its route tells. */
export interface Admission {
  /** Whether it counts against the limit of the caller's organization. */
  counted: boolean;
  /** Whether the answer goes on for as long as the client likes; it must end with the credential. */
  lasting: boolean;
}

/**
 * Lets requests in (cloud mode). The feature `access` provides it under {@link GATEKEEPER}; in local mode there is none.
 */
export interface Gatekeeper {
  /**
   * Tells whose credential it is.
   * @throws DomainError `unauthenticated` for anything but a valid one, `unavailable` when that cannot be found out.
   */
  authenticate(credential: string): Promise<Caller> | Caller;

  /**
   * Called once a request is known to be allowed, before its body is read: counts it, may add headers to the answer.
   * @throws DomainError `rate_limited`
   */
  admit(
    caller: Caller,
    credential: string,
    request: FastifyRequest,
    reply: FastifyReply,
    admission: Admission,
  ): Promise<void> | void;
}

/** Injection token of the {@link Gatekeeper}. */
export const GATEKEEPER = Symbol('gatekeeper');

/** A request that was let in. */
export interface AdmittedRequest {
  /** Without a credential, where cloud mode wants none: it has no scope. */
  anonymous?: true;
  caller?: Caller;
  scope?: Scope;
}

/** Whose credential the request carries; `undefined` in local mode. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller | undefined =>
    context.switchToHttp().getRequest<AdmittedRequest>().caller,
);
