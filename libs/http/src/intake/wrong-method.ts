import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findThirdPartyProtocol } from '../third-party-protocols.js';
import { DomainError } from '@spandrel/kernel';

/**
 * Answers a method that a known path does not take, and `OPTIONS` (RFC 9110, 9.3.7, 15.5.6). Registered before the routes.
 * @param otherwise what a request gets whose path is not known either.
 */
export function answerWrongMethods(
  fastify: FastifyInstance,
  otherwise: (request: FastifyRequest) => Error | undefined,
): void {
  const paths = new Map<string, { url: string; pattern: RegExp; methods: Set<string> }>();
  fastify.addHook('onRoute', ({ url, method }) => {
    // A route for everything below a path knows no path of its own.
    if (url.includes('*')) return;
    const known = paths.get(url) ?? { url, pattern: patternOf(url), methods: new Set(['OPTIONS']) };
    paths.set(url, known);
    for (const each of [method].flat()) known.methods.add(each);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const path = request.raw.url!.split('?', 1)[0]!;
    const found = [...paths.values()].filter(({ pattern }) => pattern.test(path));
    const isThirdParty = findThirdPartyProtocol(request.raw) !== undefined;
    const allowed = [...new Set(found.flatMap(({ methods }) => [...methods]))]
      .filter((method) => !isThirdParty || method !== 'OPTIONS')
      .toSorted();
    // A path that the router refuses for another reason, such as an id that is too long, has no wrong method.
    const isRefusedPath = request.method !== 'OPTIONS' && allowed.includes(request.method);
    if (found.length === 0 || isRefusedPath) return done(otherwise(request));
    void reply.header('allow', allowed.join(', '));
    if (request.method === 'OPTIONS' && !isThirdParty) return void reply.status(204).send();
    done(
      new DomainError(
        'method_not_allowed',
        `${found[0]!.url} does not take ${request.method}, but ${allowed.filter((each) => each !== 'OPTIONS').join(', ')}`,
      ),
    );
  });
}

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replace(/:\w+/g, '[^/]+')}$`);
