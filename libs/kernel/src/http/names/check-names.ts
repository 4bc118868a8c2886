import type { FastifyInstance } from 'fastify';
import { knownMembers } from '../../faults/known-members.js';
import { namesIgnored, routeKey, type RouteFacts } from '../openapi/find-routes.js';
import { takesAnyQuery } from '../open-route.js';
import { nameIgnoredMembers } from './name-ignored-members.js';
import { refuseBodyOfDelete } from './refuse-body-of-delete.js';
import { refuseUnknownPatch } from './refuse-unknown-patch.js';
import { refuseUnknownParameters } from './refuse-unknown-parameters.js';

/**
 * Sees to names that no route knows: of query parameters they are refused, of members of a JSON body they are named in
 * the answer (docs/spec/general.md#query-parameters), and a change of nothing that is known is refused. What is known comes from the schemas beside the routes, once for
 * each route when it is registered. A route outside Nest knows no parameters, but for pages; one that
 * speaks a protocol of others takes what their clients add, and so does one whose address others write.
 * @param routes every route of the app; called when the first one is registered.
 */
export function checkNames(fastify: FastifyInstance, routes: () => readonly RouteFacts[]): void {
  let known: ReadonlyMap<string, RouteFacts> | undefined;
  fastify.addHook('onRoute', (route) => {
    known ??= new Map(routes().map((facts) => [routeKey(facts), facts]));
    const method = String(route.method);
    const facts = known.get(`${method === 'HEAD' ? 'GET' : method} ${route.url}`);
    if (facts?.operation.protocol || facts?.operation.anyQuery || takesAnyQuery(route.config)) return;
    route.onRequest = [...listOf(route.onRequest), refuseUnknownParameters(facts?.query, method)];
    if (method === 'DELETE') route.preHandler = [...listOf(route.preHandler), refuseBodyOfDelete];
    else if (facts && namesIgnored(facts)) {
      route.preHandler = [...listOf(route.preHandler), nameIgnoredMembers(facts.body)];
      const members = method === 'PATCH' && facts.body && knownMembers(facts.body);
      if (members) route.preHandler.push(refuseUnknownPatch(members));
    }
  });
}

const listOf = <Hook>(hooks: Hook | Hook[] | undefined): Hook[] =>
  hooks === undefined ? [] : Array.isArray(hooks) ? hooks : [hooks];
