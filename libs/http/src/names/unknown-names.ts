import { gatheredPrefix, type FieldError, memberNames } from '@spandrel/contract';
import type { z } from 'zod';
import {
  FAULTS_MAX,
  invalidRequest,
  knownMembers,
  objectOf,
  unknownName,
  schemaFaults,
  nearestName,
  type KnownMembers,
} from '@spandrel/kernel';

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

/** Header of answers that names the members of the body that were ignored. */
export const IGNORED_HEADER = 'X-Spandrel-Ignored';

/** Names that the header has at most, and its longest value: proxies refuse long headers. */
const NAMES_MAX = 10;
const HEADER_LENGTH_MAX = 1_000;
const NAME_LENGTH_MAX = 40;

/** Whether a body has members that nobody reads. Nearly every body has none. */
export function hasIgnored(value: unknown, known: KnownMembers): boolean {
  if (!known.isList) return isObject(value) && objectHasIgnored(value, known);
  if (!Array.isArray(value)) return false;
  for (const item of value) if (isObject(item) && objectHasIgnored(item, known)) return true;
  return false;
}

function objectHasIgnored(object: Readonly<Record<string, unknown>>, { members }: KnownMembers): boolean {
  for (const name of memberNames(object)) {
    const within = members.get(name);
    if (within === undefined ? !members.has(name) : hasIgnored(object[name], within)) return true;
  }
  return false;
}

/** The header for a body with ignored members (docs/spec/general.md#members-that-are-ignored); names are percent-encoded. */
export function ignoredHeader(body: unknown, known: KnownMembers): string {
  const entries = new Map<string, string>();
  let length = 0;
  for (const { path, name, among } of ignoredIn(body, known, '')) {
    const key = `${path}${name}`;
    if (entries.has(key)) continue;
    const entry = `${path}${encoded(name)}${meant(name, among)}`;
    length += entry.length + SEPARATOR.length;
    if (entries.size === NAMES_MAX || length > HEADER_LENGTH_MAX) return [...entries.values(), '...'].join(SEPARATOR);
    entries.set(key, entry);
  }
  return [...entries.values()].join(SEPARATOR);
}

const SEPARATOR = ', ';

interface Ignored {
  /** What stands before the name: `config.`, `spans[].`. */
  path: string;
  name: string;
  among: KnownMembers;
}

function* ignoredIn(value: unknown, known: KnownMembers, path: string): Generator<Ignored> {
  if (known.isList) {
    const item = { ...known, isList: false };
    for (const each of Array.isArray(value) ? value : []) yield* ignoredIn(each, item, `${path}[]`);
  } else if (isObject(value)) {
    const prefix = path === '' ? '' : `${path}.`;
    for (const name of memberNames(value)) {
      const within = known.members.get(name);
      if (within) yield* ignoredIn(value[name], within, `${prefix}${name}`);
      else if (!known.members.has(name)) yield { path: prefix, name, among: known };
    }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

const meant = (name: string, { members }: KnownMembers): string => {
  const nearest = nearestName(name, members.keys());
  return nearest === undefined ? '' : ` (${nearest}?)`;
};

const encoded = (name: string): string => {
  if (name === '') return '""';
  const shown = name
    .slice(0, NAME_LENGTH_MAX)
    .toWellFormed()
    .replace(/[^\w.-]/gu, percentEncoded);
  return name.length > NAME_LENGTH_MAX ? `${shown}...` : shown;
};

const percentEncoded = (character: string): string =>
  Buffer.from(character).reduce((text, byte) => `${text}%${byte.toString(16).toUpperCase().padStart(2, '0')}`, '');
