import { Inject, Injectable, Optional, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, NotFound, StartError } from '@spandrel/kernel';
import { findThirdPartyProtocol } from '../third-party-protocols.js';
import { isInnerRequest } from '../in-process/in-process-api.js';
import {
  bearerOf,
  isCounted,
  isOpenRoute,
  OPERATION,
  type AccessRule,
  type OperationDescription,
} from '../operation.js';
import { routeKey, type RouteFacts } from '../openapi/find-routes.js';
import { accessRefusal, GATEKEEPER, type AdmittedRequest, type Caller, type Gatekeeper, type Proof } from './caller.js';
import { projectOf } from './project-address.js';
import { CredentialRefusals } from './wrong-credentials.js';

type Request = FastifyRequest & AdmittedRequest;

/** The global guard of cloud mode (docs/spec/access.md#credentials); {@link admitBeforeBody} asks it earlier. */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly gatekeeper: Gatekeeper;

  constructor(
    @Optional() @Inject(GATEKEEPER) gatekeeper: Gatekeeper | undefined,
    @Inject(CredentialRefusals) private readonly refusals: CredentialRefusals,
    private readonly reflector: Reflector,
  ) {
    if (!gatekeeper) {
      throw new StartError(['features: cloud mode needs the feature "access", which checks credentials']);
    }
    this.gatekeeper = gatekeeper;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const operation = this.reflector.get<OperationDescription | undefined>(OPERATION, context.getHandler());
    if (operation === undefined || request.admittedTo !== operation) {
      await this.admit(request, http.getResponse(), operation);
    }
    return true;
  }

  /**
   * Lets a request in, and notes on it who makes it. @throws DomainError of a request that is refused.
   * @param operation `undefined` for a path that matches no route of Nest, which every valid credential may ask for.
   */
  async admit(request: Request, reply: FastifyReply, operation: OperationDescription | undefined): Promise<void> {
    await this.check(request, reply, operation);
    if (operation) request.admittedTo = operation;
  }

  private async check(
    request: Request,
    reply: FastifyReply,
    operation: OperationDescription | undefined,
  ): Promise<void> {
    const access = operation?.access;
    if (access === 'open') {
      request.anonymous = true;
      return;
    }
    if (isInnerRequest(request.raw)) return admitInner(access, request);
    const { gatekeeper } = this;
    const proof = proofOf(request, operation?.tokenInQuery === true, gatekeeper);
    const isForAnyone = access === 'anyone' && request.headers.authorization === undefined;
    if (!proof && !isForAnyone) throw refused(new DomainError('unauthenticated', CREDENTIAL_NEEDED), reply);
    const refuse = (error: DomainError): DomainError => refused(this.refusals.of(error, request.raw), reply);
    const caller = proof && (await callerOf(gatekeeper, proof, isForAnyone, refuse));
    if (!proof || !caller) {
      request.anonymous = true;
      return;
    }
    if (proof.project !== undefined && caller.scope?.projectId !== proof.project) {
      throw refuse(
        new NotFound('project_not_found', 'this credential or session is of another project than the address'),
      );
    }
    request.caller = caller;
    if (access) assertAllowed(access, caller);
    if (caller.scope) request.scope = caller.scope;
    await gatekeeper.admit(caller, proof, request, reply, {
      counted: operation === undefined || isCounted(operation),
      lasting: operation?.tokenInQuery === true,
      ...(operation?.limit !== undefined && {
        routeLimit: { operation: operation.id, perSecond: operation.limit },
      }),
    });
  }
}

/** Has the guard asked before a body is read, and for routes outside Nest that are not open. @param app once it is made. */
export function admitBeforeBody(
  fastify: FastifyInstance,
  app: () => { guard: AccessGuard; routes: readonly RouteFacts[] },
): void {
  let known: { guard: AccessGuard; operations: ReadonlyMap<string, OperationDescription> } | undefined;
  const load = (): NonNullable<typeof known> => {
    const { guard, routes } = app();
    return { guard, operations: new Map(routes.map((route) => [routeKey(route), route.operation])) };
  };
  fastify.addHook('onRequest', async (request, reply) => {
    const { guard, operations } = (known ??= load());
    const { url, config } = request.routeOptions;
    if (isOpenRoute(config)) return;
    if (request.headers.origin !== undefined && (request.method === 'POST' || request.method === 'OPTIONS')) {
      const path = url ?? request.raw.url!.split('?', 1)[0];
      const isFeedback = operations.get(`POST ${path}`)?.access === 'feedback';
      const isAllowed = isFeedback && allowOrigin(request, reply, guard.gatekeeper.feedbackOrigins ?? []);
      if (isAllowed && request.method === 'OPTIONS') return reply.status(204).send();
    }
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    await guard.admit(request, reply, url === undefined ? undefined : operations.get(`${method} ${url}`));
  });
}

/** Says to browsers that a page may call this route (docs/spec/access.md#feedback-keys). @returns whether it may. */
function allowOrigin({ headers }: FastifyRequest, reply: FastifyReply, origins: readonly string[]): boolean {
  const allowed = origins.includes('*') ? '*' : origins.find((origin) => origin === headers.origin);
  if (allowed === undefined) return false;
  void reply.headers({
    ...{ 'access-control-allow-origin': allowed, vary: 'origin', 'cross-origin-resource-policy': 'cross-origin' },
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization, content-type, x-request-id',
    'access-control-expose-headers': 'retry-after, x-request-id',
    'access-control-max-age': '600',
  });
  return true;
}

/** Lets in what somebody who has been let in asks for inside this process: as far as they may, and without counting it again. */
function admitInner(access: Exclude<AccessRule, 'open'> | undefined, { caller }: AdmittedRequest): void {
  if (access === 'anyone') return;
  if (!caller) throw new DomainError('unauthenticated', CREDENTIAL_NEEDED);
  if (access) assertAllowed(access, caller);
}

const CREDENTIAL_NEEDED = 'a credential is needed: Authorization: Bearer <API key or JWT>';

/** What a request shows: the header, then `?token=`, then the cookie (docs/spec/sign-in.md#which-credential-counts). */
function proofOf(request: FastifyRequest, tokenInQuery: boolean, gatekeeper: Gatekeeper): Proof | undefined {
  const credential = credentialOf(request, tokenInQuery);
  const project = projectOf(request);
  if (credential !== undefined) return { by: 'credential', text: credential, project };
  if (request.headers.authorization !== undefined || findThirdPartyProtocol(request.raw)) return undefined;
  const cookie = gatekeeper.cookieOf?.(request);
  return cookie === undefined ? undefined : { by: 'cookie', text: cookie, project };
}

function credentialOf(request: FastifyRequest, tokenInQuery: boolean): string | undefined {
  const protocol = findThirdPartyProtocol(request.raw);
  if (protocol) return protocol.credentialOf(request.headers);
  const { authorization } = request.headers;
  if (authorization !== undefined) return bearerOf(authorization);
  if (!tokenInQuery) return undefined;
  const { token } = request.query as { token?: unknown };
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** @returns `undefined` for a session that has ended, where the route is for anyone. */
async function callerOf(
  gatekeeper: Gatekeeper,
  proof: Proof,
  isForAnyone: boolean,
  refuse: (error: DomainError) => DomainError,
): Promise<Caller | undefined> {
  try {
    return await gatekeeper.authenticate(proof);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'unauthenticated' && proof.by === 'cookie' && isForAnyone) return undefined;
    throw refuse(error);
  }
}

function assertAllowed(access: Exclude<AccessRule, 'open'>, caller: Caller): void {
  const refusal = accessRefusal(access, caller);
  if (refusal !== undefined) throw new DomainError('insufficient_scope', refusal);
}

/** 401 says how credentials are sent (RFC 9110, 11.6.1). */
function refused(error: DomainError, reply: FastifyReply): DomainError {
  if (error.code === 'unauthenticated') void reply.header('www-authenticate', 'Bearer');
  return error;
}
