import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type OnModuleInit,
} from '@nestjs/common';
import type { FastifyInstance, FastifyRequest, FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { knownMembers, invalidRequest, NO_MEMBERS, type KnownMembers, unknownName } from '@spandrel/kernel';
import type { z } from 'zod';
import { namesIgnored, type RouteFacts } from '../openapi/find-routes.js';
import { OpenApi } from '../openapi/openapi.js';
import { isOpenRoute, takesAnyQuery } from '../open-route.js';
import { unknownParametersOf } from './unknown-parameters.js';
import { hasIgnored, IGNORED_HEADER, ignoredHeader } from './ignored-members.js';

/**
 * Sees to names that no route knows: of query parameters they are refused, of members of a JSON body they are named in
 * the answer (docs/spec/general.md#query-parameters), and a change of nothing that is known is refused. What is known comes
 * from the schemas beside the routes, once for each route. One that speaks a protocol of others takes what their clients
 * add, and so does one whose address others write.
 */
@Injectable()
export class NamesInterceptor implements NestInterceptor, OnModuleInit {
  private readonly checks = new Map<unknown, readonly NameCheck[]>();

  constructor(@Inject(OpenApi) private readonly api: OpenApi) {}

  onModuleInit(): void {
    for (const facts of this.api.routes) this.checks.set(facts.callback, checksOf(facts));
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    for (const check of this.checks.get(context.getHandler()) ?? []) check(http.getRequest(), http.getResponse());
    return next.handle();
  }
}

function checksOf(facts: RouteFacts): NameCheck[] {
  const { operation, method, body, query } = facts;
  if (operation.protocol || operation.anyQuery) return [];
  const unknownParameters = unknownParametersOf(query, method);
  const checks: NameCheck[] = [(request) => unknownParameters(request.query as object)];
  if (method === 'delete') checks.push(refuseBodyOfDelete);
  else if (namesIgnored(facts)) {
    checks.push(nameIgnoredMembers(body));
    const members = method === 'patch' && body && knownMembers(body);
    if (members) checks.push(refuseUnknownPatch(members));
  }
  return checks;
}

/** Refuses every query parameter of the routes outside Nest, but for pages. */
export function refuseParametersOutsideNest(fastify: FastifyInstance): void {
  const unknownParameters = unknownParametersOf(undefined, 'get');
  fastify.addHook('onRoute', (route) => {
    if (!isOpenRoute(route.config) || takesAnyQuery(route.config)) return;
    const check = async ({ query }: FastifyRequest): Promise<void> => unknownParameters(query as object);
    route.onRequest = [...[route.onRequest ?? []].flat(), check];
  });
}

/** Looks at the names in a request. @throws DomainError `validation_failed` where they refuse it. */
type NameCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Names in a header of the answer, also of one that refuses the request, what of a JSON body is ignored
 * (docs/spec/general.md#members-that-are-ignored).
 * @param schema of the route's body; `undefined` when it reads none.
 */
function nameIgnoredMembers(schema: z.ZodType | undefined): NameCheck {
  const known = schema ? knownMembers(schema) : NO_MEMBERS;
  return ({ body }, reply) => {
    if (known && hasIgnored(body, known)) void reply.header(IGNORED_HEADER, ignoredHeader(body, known));
  };
}

/**
 * Refuses a delete whose body says something: deletes read no body, and what was meant as a filter would be ignored while
 * everything is deleted (docs/spec/general.md#query-parameters). An empty object or list passes, since some clients
 * always send one.
 */
const refuseBodyOfDelete: NameCheck = ({ body }) => {
  if (body === undefined || body === null) return;
  const names = typeof body === 'object' ? Object.keys(body) : [''];
  if (names.length === 0) return;
  const message = 'is not taken: a delete has no body; nothing was deleted';
  const faults = Array.isArray(body) || JSON.isRawJSON(body) ? [''] : names;
  throw invalidRequest(faults.map((path) => ({ path, message })));
};

/**
 * Refuses a `PATCH` with members of which the route knows none: it would be answered as done, and nothing would have changed
 * (docs/spec/general.md#changes). An empty object passes, as it asks for nothing.
 */
function refuseUnknownPatch({ members }: KnownMembers): NameCheck {
  const known = [...members.keys()];
  return ({ body }) => {
    const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
    if (names.length === 0 || names.some((name) => members.has(name))) return;
    const message = (name: string): string =>
      `${unknownName('is not a member of this change', name, known)}; nothing was changed`;
    throw invalidRequest(names.map((name) => ({ path: name, message: message(name) })));
  };
}
