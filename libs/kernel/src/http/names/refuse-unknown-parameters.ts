import type { FieldError } from '@spandrel/contract';
import type { onRequestHookHandler } from 'fastify';
import type { z } from 'zod';
import { FAULTS_MAX, invalidRequest } from '../../faults/invalid-request.js';
import { knownMembers } from '../../faults/known-members.js';
import { unknownName } from '../../faults/unknown-name.js';
import { queryFaults } from './query-faults.js';

/**
 * Refuses query parameters that a route does not know: a misspelt filter would take everything, also for deleting
 * (docs/spec/general.md#query-parameters). Called before the body is read; other faults of the query are listed too.
 * @param schema of the route's query; `undefined` when it takes no parameters.
 */
export function refuseUnknownParameters(schema: z.ZodType | undefined, method: string): onRequestHookHandler {
  const names = [...((schema && knownMembers(schema))?.members.keys() ?? [])];
  const known: ReadonlySet<string> = new Set(names);
  const consequence = method === 'DELETE' ? '; nothing was deleted' : '';
  const faultOf = (name: string): FieldError => ({
    path: name,
    message: `${unknownName('is not a query parameter of this route', name, names)}${consequence}`,
  });
  return (request, _reply, done) => {
    for (const name in request.query as object) {
      if (!known.has(name)) return done(refusal(request.query as object));
    }
    done();
  };

  function refusal(query: object): Error {
    const unknown = Object.keys(query)
      .filter((name) => !known.has(name))
      .slice(0, FAULTS_MAX + 1);
    const { error } = schema?.safeParse(query) ?? {};
    return invalidRequest([...unknown.map(faultOf), ...(error ? queryFaults(error, schema!, query) : [])], 'the query');
  }
}
