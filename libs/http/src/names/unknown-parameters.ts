import { gatheredPrefix, type FieldError } from '@spandrel/contract';
import type { z } from 'zod';
import { FAULTS_MAX, invalidRequest, knownMembers, objectOf, unknownName, schemaFaults } from '@spandrel/kernel';

/**
 * Refuses query parameters that a route does not know: a misspelt filter would take everything, also for deleting
 * (docs/spec/general.md#query-parameters). Other faults of the query are listed too.
 * @returns takes the query of a request, and throws DomainError `validation_failed` where it has such a parameter.
 */
export function unknownParametersOf(schema: z.ZodType | undefined, method: string): (query: object) => void {
  const prefixes = prefixesOf(schema);
  const names = [...((schema && knownMembers(schema))?.members.keys() ?? [])].filter((name) => !prefixes.has(name));
  const said = [...names, ...Array.from(prefixes.values(), (prefix) => `${prefix}KEY`)];
  const exact: ReadonlySet<string> = new Set(names);
  const isGathered = (name: string, prefix: string): boolean =>
    name.startsWith(prefix) && name !== prefix && name !== `${prefix}__proto__`;
  const isKnown = (name: string): boolean =>
    exact.has(name) || prefixes.values().some((prefix) => isGathered(name, prefix));
  const consequence = method === 'delete' ? '; nothing was deleted' : '';
  const faultOf = (name: string): FieldError => ({
    path: name,
    message: `${unknownName('is not a query parameter of this route', name, said)}${consequence}`,
  });
  return (query) => {
    for (const name in query) if (!isKnown(name)) throw refusal(query);
  };

  function refusal(query: object): Error {
    const unknown = Object.keys(query)
      .filter((name) => !isKnown(name))
      .slice(0, FAULTS_MAX + 1);
    const { error } = schema?.safeParse(query) ?? {};
    return invalidRequest([...unknown.map(faultOf), ...(error ? queryFaults(error, schema!, query) : [])], 'the query');
  }
}

function prefixesOf(schema: z.ZodType | undefined): ReadonlyMap<string, string> {
  const shape = Object.entries((schema && objectOf(schema)?.shape) ?? {});
  return new Map(
    shape.flatMap(([name, member]) => {
      const prefix = gatheredPrefix(member);
      return prefix === undefined ? [] : [[name, prefix]];
    }),
  );
}

/** What is wrong with a query; of a parameter that may be given once, and came several times, that is said. */
export function queryFaults(error: z.ZodError, schema: z.ZodType, query: unknown): FieldError[] {
  const given = query as Readonly<Record<string, unknown>>;
  const repeated = new Set(error.issues.filter(({ code }) => ONE_VALUE.has(code)).map(({ path }) => path.join('.')));
  return schemaFaults(error, schema).map(({ path, message }) => ({
    path,
    message: repeated.has(path) && Array.isArray(given[path]) ? 'must be given only once' : message,
  }));
}

/** Faults that a list has where a single value is wanted. */
const ONE_VALUE: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value']);
