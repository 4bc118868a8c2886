import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../errors/domain-error.js';
import { foreignProtocolOf } from '../foreign/foreign-requests.js';
import { isInnerRequest } from '../in-process/inner-requests.js';
import { isOpenRoute } from '../open-route.js';
import { routeKey, type RouteFacts } from '../openapi/find-routes.js';
import { accessRefusal } from './access-refusal.js';
import { bearerOf } from './bearer.js';
import { isCounted, type AccessRule } from './access-rule.js';
import type { AdmittedRequest, Caller, Gatekeeper, Proof } from './caller.js';
import type { CredentialRefusals } from './credential-refusals.js';

/** Who lets in, and how it is said that somebody is not. */
interface Doorkeepers {
  gatekeeper: Gatekeeper;
  refusals: CredentialRefusals;
}

/** What the guard has to know of a route. */
interface GuardedRoute {
  access: AccessRule;
  isCounted: boolean;
  tokenInQuery: boolean;
}

/**
 * Lets no request of cloud mode through without a credential that may do what the route does
 * (docs/spec/access.md#credentials). It is a hook of Fastify, so that it stands before every route and before any body
 * is read, also for HEAD, for paths that match nothing and for routes outside Nest; what is not declared is refused.
 * @param facts gives the routes and who decides, once the app is made.
 */
export function admitRequests(
  fastify: FastifyInstance,
  facts: () => { routes: readonly RouteFacts[] } & Doorkeepers,
): void {
  let known: ({ rules: Map<string, GuardedRoute> } & Doorkeepers) | undefined;
  const load = (): NonNullable<typeof known> => {
    const { routes, ...doorkeepers } = facts();
    return { ...doorkeepers, rules: new Map(routes.map((route) => [routeKey(route), guarded(route)])) };
  };
  fastify.addHook('onRequest', async (request: FastifyRequest & AdmittedRequest, reply) => {
    const { rules, gatekeeper, refusals } = (known ??= load());
    const { url, config } = request.routeOptions;
    if (isOpenRoute(config)) return;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = url === undefined ? undefined : rules.get(`${method} ${url}`);
    if (route?.access === 'open') {
      request.anonymous = true;
      return;
    }
    if (isInnerRequest(request.raw)) return admitInner(route?.access, request);
    const proof = proofOf(request, route?.tokenInQuery === true, gatekeeper);
    const isForAnyone = route?.access === 'anyone' && request.headers.authorization === undefined;
    if (!proof && !isForAnyone) throw refused(new DomainError('unauthenticated', CREDENTIAL_NEEDED), reply);
    const refuse = (error: DomainError): DomainError => refused(refusals.of(error, request.raw), reply);
    const caller = proof && (await callerOf(gatekeeper, proof, isForAnyone, refuse));
    if (!proof || !caller) {
      request.anonymous = true;
      return;
    }
    request.caller = caller;
    if (route) assertAllowed(route.access, caller);
    if (caller.scope) request.scope = caller.scope;
    await gatekeeper.admit(caller, proof, request, reply, {
      counted: route === undefined || route.isCounted,
      lasting: route?.tokenInQuery === true,
    });
  });
}

/** Lets in what somebody who has been let in asks for inside this process: as far as they may, and without counting it again. */
function admitInner(access: Exclude<AccessRule, 'open'> | undefined, { caller }: AdmittedRequest): void {
  if (access === 'anyone') return;
  if (!caller) throw new DomainError('unauthenticated', CREDENTIAL_NEEDED);
  if (access) assertAllowed(access, caller);
}

const guarded = ({ operation }: RouteFacts): GuardedRoute => ({
  access: operation.access,
  isCounted: isCounted(operation),
  tokenInQuery: operation.tokenInQuery === true,
});

const CREDENTIAL_NEEDED = 'a credential is needed: Authorization: Bearer <API key or JWT>';

/**
 * What a request shows: the header, then `?token=` where the route takes it, then the cookie of a session. A header that
 * is no credential counts as none shown, whatever the cookie (docs/spec/sign-in.md#which-credential-counts).
 */
function proofOf(request: FastifyRequest, tokenInQuery: boolean, gatekeeper: Gatekeeper): Proof | undefined {
  const credential = credentialOf(request, tokenInQuery);
  if (credential !== undefined) return { by: 'credential', text: credential };
  if (request.headers.authorization !== undefined || foreignProtocolOf(request.raw)) return undefined;
  const cookie = gatekeeper.cookieOf?.(request);
  return cookie === undefined ? undefined : { by: 'cookie', text: cookie };
}

function credentialOf(request: FastifyRequest, tokenInQuery: boolean): string | undefined {
  const protocol = foreignProtocolOf(request.raw);
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
    if (!(error instanceof DomainError) || error.code !== 'unauthenticated') throw error;
    if (proof.by === 'cookie' && isForAnyone) return undefined;
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
