import type { Server } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Sends the page that says that there is nothing at an address, with 404. */
type SendNotFoundPage = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const pages = new WeakMap<Server, SendNotFoundPage>();

/** Has browsers get a page where there is nothing; all others get a problem. */
export const setNotFoundPage = (fastify: FastifyInstance, send: SendNotFoundPage): void =>
  void pages.set(fastify.server, send);

/** Addresses that no person types: what is not there is a problem of the API, also for browsers. */
const FOR_PROGRAMS = /^\/(?:api|v1|assets)(?:[/?]|$)/;

/** What sends the page for a request that no route takes; `undefined` where there is none, or a program asks. */
export function findNotFoundPage({
  is404,
  method,
  url,
  headers,
  server,
}: FastifyRequest): SendNotFoundPage | undefined {
  const isPerson = is404 && method === 'GET' && headers.accept?.includes('text/html') === true;
  return isPerson && !FOR_PROGRAMS.test(url) ? pages.get(server.server as Server) : undefined;
}
