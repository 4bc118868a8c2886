import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { invalidRequest, knownMembers, NO_MEMBERS, type KnownMembers, unknownName } from '@spandrel/kernel';
import { hasIgnored, IGNORED_HEADER, ignoredHeader } from './ignored-members.js';

/** Looks at the names in a request. @throws DomainError `validation_failed` where they refuse it. */
export type NameCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Names in a header of the answer, also of one that refuses the request, what of a JSON body is ignored
 * (docs/spec/general.md#members-that-are-ignored).
 * @param schema of the route's body; `undefined` when it reads none.
 */
export function nameIgnoredMembers(schema: z.ZodType | undefined): NameCheck {
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
export const refuseBodyOfDelete: NameCheck = ({ body }) => {
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
export function refuseUnknownPatch({ members }: KnownMembers): NameCheck {
  const known = [...members.keys()];
  return ({ body }) => {
    const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
    if (names.length === 0 || names.some((name) => members.has(name))) return;
    const message = (name: string): string =>
      `${unknownName('is not a member of this change', name, known)}; nothing was changed`;
    throw invalidRequest(names.map((name) => ({ path: name, message: message(name) })));
  };
}
