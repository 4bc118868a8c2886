import { memberNames } from '@spandrel/contract';
import { nearestName, type KnownMembers } from '@spandrel/kernel';

/** Header of answers that names the members of the body that were ignored. */
export const IGNORED_HEADER = 'X-Spandrel-Ignored';

/** Names that the header has at most, and its longest value: proxies refuse long headers. */
const NAMES_MAX = 10;
const HEADER_LENGTH_MAX = 1_000;
/** UTF-16 units of a name that are shown. */
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

/**
 * The value of the header for a body with ignored members (docs/spec/general.md#members-that-are-ignored): `nam
 * (name?), config.foo`. Names are percent-encoded, so that nothing that a caller sends can break out of the header.
 */
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
