import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type OnModuleInit,
} from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { knownMembers } from '@spandrel/kernel';
import { namesIgnored, type RouteFacts } from '../openapi/find-routes.js';
import { OpenApi } from '../openapi/openapi.js';
import { isOpenRoute, takesAnyQuery } from '../open-route.js';
import { nameIgnoredMembers, refuseBodyOfDelete, refuseUnknownPatch, type NameCheck } from './name-checks.js';
import { unknownParametersOf } from './unknown-parameters.js';

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
