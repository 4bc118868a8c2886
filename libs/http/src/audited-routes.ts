import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { type ClientAddresses, inContext, type ActingParty } from '@spandrel/kernel';
import type { AdmittedRequest, Caller } from './access/caller.js';
import { routeKey, type RouteFacts } from './openapi/find-routes.js';

/** Keeps, while a request is handled, who makes it and from where, for the audit log. @param routes all of the app. */
export function contextOfAuditedRoutes(
  fastify: FastifyInstance,
  addresses: ClientAddresses,
  routes: () => readonly RouteFacts[],
): void {
  // Runs behind the reading of the body, where the events of a socket would have lost the context.
  const enterContext: preHandlerHookHandler = (request, _reply, done) => {
    const { caller } = request as FastifyRequest & AdmittedRequest;
    const actor = caller ? actingParty(caller) : null;
    inContext({ actor, address: addresses.of(request.raw) ?? null, requestId: request.id }, done);
  };
  let audited: ReadonlySet<string> | undefined;
  fastify.addHook('onRoute', (route) => {
    audited ??= new Set(
      routes()
        .filter(({ operation }) => operation.audited !== undefined)
        .map(routeKey),
    );
    const method = String(route.method);
    if (!audited.has(`${method === 'HEAD' ? 'GET' : method} ${route.url}`)) return;
    const hooks = route.preHandler ?? [];
    route.preHandler = [...(Array.isArray(hooks) ? hooks : [hooks]), enterContext];
  });
}

const PREFIX: Partial<Record<Caller['kind'], string>> = { api_key: 'key:', jwt: 'jwt:', person: 'person:' };

/** A caller as the audit log names it. */
export const actingParty = ({ kind, id, label }: Caller): ActingParty => ({
  name: `${PREFIX[kind] ?? ''}${id}`,
  label: label ?? null,
});
