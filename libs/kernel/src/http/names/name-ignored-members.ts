import type { preHandlerHookHandler } from 'fastify';
import type { z } from 'zod';
import { knownMembers, NO_MEMBERS } from '../../faults/known-members.js';
import { hasIgnored, IGNORED_HEADER, ignoredHeader } from './ignored-members.js';

/**
 * Names in a header of the answer, also of one that refuses the request, what of a JSON body is ignored
 * (docs/spec/general.md#members-that-are-ignored).
 * @param schema of the route's body; `undefined` when it reads none.
 */
export function nameIgnoredMembers(schema: z.ZodType | undefined): preHandlerHookHandler {
  const known = schema ? knownMembers(schema) : NO_MEMBERS;
  return ({ body }, reply, done) => {
    if (known && hasIgnored(body, known)) void reply.header(IGNORED_HEADER, ignoredHeader(body, known));
    done();
  };
}
