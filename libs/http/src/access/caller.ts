import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { isFeedbackAlone, type Permission, type Role } from '@spandrel/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '@spandrel/kernel';
import { isGranted, isOperators, type AccessRule, type OperationDescription } from '../operation.js';

export interface Caller {
  readonly kind: 'api_key' | 'jwt' | 'person' | 'admin_token' | 'metrics_token';
  /** Id of the key, `sub` of the JWT, id of the person, `admin`, `metrics`. */
  readonly id: string;
  /** What people call the credential's holder, such as the name of the key; absent where that is not known. */
  readonly label?: string;
  /** The organization and project that the credential is for; `null` for the operator, who has none. */
  readonly scope: Scope | null;
  /** What the caller may do; `scopes` on the wire. */
  readonly permissions: readonly Permission[];
  /** End of the credential in milliseconds since the epoch; `null` when it has none. */
  readonly expiresAt: number | null;
  /** The role of a person, which its permissions come from; absent for credentials. */
  readonly role?: Role;
  /** Id of the browser's session that the request came with; absent where it carried the credential itself. */
  readonly sessionId?: string;
}

/** What a request shows to be let in: a credential, or the cookie of a browser that is signed in. */
export interface Proof {
  readonly by: 'credential' | 'cookie';
  readonly text: string;
  /** The project that the address of the request names, which a person may have several of. */
  readonly project?: string | undefined;
}

/** What the route of a request says of how it is let in. */
export interface Admission {
  counted: boolean;
  /** Whether the answer goes on for as long as the client likes; it must end with the credential. */
  lasting: boolean;
  /** A limit of the route's own: how many requests a second an organization may make there. */
  routeLimit?: { operation: string; perSecond: number };
}

/** Lets requests in, in cloud mode: {@link GATEKEEPER} of the feature `access`. */
export interface Gatekeeper {
  /**
   * Finds the caller that a credential or a cookie belongs to.
   * @throws DomainError `unauthenticated`, `project_not_found` for a person without a role in the project, `unavailable`.
   */
  authenticate(proof: Proof): Promise<Caller> | Caller;

  /**
   * The session cookie of a request that shows no credential, where one counts; left out where there are no sessions.
   * @throws DomainError `host_not_allowed` when a page from elsewhere would change something with it.
   */
  cookieOf?(request: FastifyRequest): string | undefined;

  /** Origins of the web pages that may call routes with `access: 'feedback'`; left out for none. */
  readonly feedbackOrigins?: readonly string[];

  /** Counts a request that is allowed, before its body is read, and may add headers to the answer. @throws `rate_limited` */
  admit(
    caller: Caller,
    proof: Proof,
    request: FastifyRequest,
    reply: FastifyReply,
    admission: Admission,
  ): Promise<void> | void;
}

export const GATEKEEPER = Symbol('gatekeeper');

export interface AdmittedRequest {
  /** Set in cloud mode for a route that needs no credential; such a request has no scope. */
  anonymous?: true;
  caller?: Caller;
  scope?: Scope;
  /** What its route does, once it was let in to that. */
  admittedTo?: OperationDescription;
}

/** The holder of the credential that the request carries; `undefined` in local mode. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller | undefined =>
    context.switchToHttp().getRequest<AdmittedRequest>().caller,
);

/** Why a caller may not call a route, in a sentence; `undefined` for one who may. */
export function accessRefusal(access: Exclude<AccessRule, 'open'>, caller: Caller): string | undefined {
  const { kind, scope, permissions } = caller;
  if (access !== 'feedback' && isFeedbackAlone(permissions)) {
    return 'this credential may only send feedback, by POST /api/scores';
  }
  if (access === 'caller' || access === 'anyone') {
    return kind === 'metrics_token' ? 'this credential may only read /metrics' : undefined;
  }
  if (access === 'operator') {
    const isOperator = kind === 'admin_token' || kind === 'metrics_token';
    return isOperator ? undefined : 'only the operator of the service may do this: send the admin token';
  }
  if (kind === 'admin_token' && isOperators(access)) return undefined;
  if (scope === null) return 'this credential belongs to no project; use an API key of a project';
  return isGranted(access, permissions) ? undefined : `this needs a credential with the scope ${access}`;
}
