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
import { OpenApi } from '../openapi/openapi.controller.js';
import { isOpenRoute, takesAnyQuery } from '../operation.js';
import { unknownParametersOf, hasIgnored, IGNORED_HEADER, ignoredHeader } from './unknown-names.js';

/**
 * Sees to names that no route knows: query parameters are refused, members of a JSON body named in the answer
 * (docs/spec/general.md#query-parameters), and a change of nothing that is known is refused. Clients of others'
 * protocols add what they like, and so does who writes an address for others.
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

export function refuseParametersOutsideNest(fastify: FastifyInstance): void {
  const unknownParameters = unknownParametersOf(undefined, 'get');
  fastify.addHook('onRoute', (route) => {
    if (!isOpenRoute(route.config) || takesAnyQuery(route.config)) return;
    const check = async ({ query }: FastifyRequest): Promise<void> => unknownParameters(query as object);
    route.onRequest = [...[route.onRequest ?? []].flat(), check];
  });
}

type NameCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/** Names in a header of the answer what of a JSON body is ignored. @param schema `undefined` where none is read. */
function nameIgnoredMembers(schema: z.ZodType | undefined): NameCheck {
  const known = schema ? knownMembers(schema) : NO_MEMBERS;
  return ({ body }, reply) => {
    if (known && hasIgnored(body, known)) void reply.header(IGNORED_HEADER, ignoredHeader(body, known));
  };
}

/** Refuses a delete whose body says something: a filter would be ignored. An empty object or list passes. */
const refuseBodyOfDelete: NameCheck = ({ body }) => {
  if (body === undefined || body === null) return;
  const names = typeof body === 'object' ? Object.keys(body) : [''];
  if (names.length === 0) return;
  const message = 'is not taken: a delete has no body; nothing was deleted';
  const faults = Array.isArray(body) || JSON.isRawJSON(body) ? [''] : names;
  throw invalidRequest(faults.map((path) => ({ path, message })));
};

/** Refuses a `PATCH` with unknown members alone (docs/spec/general.md#changes): it would be answered as done. */
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
