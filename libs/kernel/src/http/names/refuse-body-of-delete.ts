import type { preHandlerHookHandler } from 'fastify';
import { invalidRequest } from '../../faults/invalid-request.js';

/**
 * Refuses a delete whose body says something: deletes read no body, and what was meant as a filter would be ignored while
 * everything is deleted (docs/spec/general.md#query-parameters). An empty object or list passes, since some clients
 * always send one.
 */
export const refuseBodyOfDelete: preHandlerHookHandler = ({ body }, _reply, done) => {
  if (body === undefined || body === null) return done();
  const names = typeof body === 'object' ? Object.keys(body) : [''];
  if (names.length === 0) return done();
  const message = 'is not taken: a delete has no body; nothing was deleted';
  const faults = Array.isArray(body) || JSON.isRawJSON(body) ? [''] : names;
  done(invalidRequest(faults.map((path) => ({ path, message }))));
};
