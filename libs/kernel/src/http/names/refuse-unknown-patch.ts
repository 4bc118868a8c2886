import type { preHandlerHookHandler } from 'fastify';
import { invalidRequest } from '../../faults/invalid-request.js';
import type { KnownMembers } from '../../faults/known-members.js';
import { unknownName } from '../../faults/unknown-name.js';

/**
 * Refuses a `PATCH` with members of which the route knows none: it would be answered as done, and nothing would have changed
 * (docs/spec/general.md#changes). An empty object passes, as it asks for nothing.
 */
export function refuseUnknownPatch({ members }: KnownMembers): preHandlerHookHandler {
  const known = [...members.keys()];
  return ({ body }, _reply, done) => {
    const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
    if (names.length === 0 || names.some((name) => members.has(name))) return done();
    const message = (name: string): string =>
      `${unknownName('is not a member of this change', name, known)}; nothing was changed`;
    done(invalidRequest(names.map((name) => ({ path: name, message: message(name) }))));
  };
}
