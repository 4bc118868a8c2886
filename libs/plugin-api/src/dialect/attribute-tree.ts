import type { Given, GivenMembers } from './dialect.js';
import type { OtelMap } from './otel-span.js';
import { plainText, plainValue, setMember } from './attribute-values.js';

/**
 * Attributes that flatten one value, put together again: `a.0.b = 1, a.1.b = 2` under `a.` is `[{b: 1}, {b: 2}]`. Parts of
 * names that are all numbers make a list in their order, gaps left out.
 * @param prefix with the dot at its end.
 * @param leave names that are no part of it.
 * @returns `undefined` when no attribute begins so.
 */
export function takeTree(attributes: OtelMap, prefix: string, leave?: (name: string) => boolean): Given | undefined {
  const root: Branch = new Map();
  const from: string[] = [];
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix) || value === null || leave?.(name) === true) continue;
    if (plant(root, name.slice(prefix.length).split('.'), name)) from.push(name);
  }
  return from.length === 0 ? undefined : { value: valueIn(root, attributes), from };
}

/** Levels that flattened names may have. */
const DEPTH_MAX = 32;

/** A list, or an object, by its members: the name of an attribute, or a branch of several. */
type Branch = Map<string, string | Branch>;

/** @returns false where another attribute stands in the way. */
function plant(root: Branch, path: readonly string[], name: string): boolean {
  if (path.length > DEPTH_MAX) return false;
  let branch = root;
  for (const part of path.slice(0, -1)) {
    const next = branch.get(part) ?? new Map<string, string | Branch>();
    if (typeof next === 'string') return false;
    branch.set(part, next);
    branch = next;
  }
  const last = path.at(-1)!;
  if (branch.has(last)) return false;
  branch.set(last, name);
  return true;
}

/** Members that are numbers make a list in their order, whatever order they came in. */
function valueIn(branch: Branch, attributes: OtelMap): unknown {
  const valueOf = (node: string | Branch): unknown =>
    typeof node === 'string' ? plainValue(attributes.get(node)!) : valueIn(node, attributes);
  const members = [...branch];
  if (members.every(([name]) => /^\d{1,9}$/.test(name))) {
    return members.sort(([a], [b]) => Number(a) - Number(b)).map(([, node]) => valueOf(node));
  }
  const object: Record<string, unknown> = {};
  for (const [name, node] of members) setMember(object, name, valueOf(node));
  return object;
}

/**
 * Attributes that flatten a list, as {@link takeTree} puts them together; names whose part behind the prefix is no number
 * are no part of it.
 */
export function takeList(
  attributes: OtelMap,
  prefix: string,
  leave?: (name: string) => boolean,
): Given<readonly unknown[]> | undefined {
  const isOther = (name: string): boolean => !NUMBERED.test(name.slice(prefix.length)) || leave?.(name) === true;
  const listed = takeTree(attributes, prefix, isOther);
  return Array.isArray(listed?.value) ? (listed as Given<readonly unknown[]>) : undefined;
}

const NUMBERED = /^\d{1,9}(?:\.|$)/;

/**
 * Attributes with one prefix as members named by what follows it.
 * @param prefix with the dot at its end.
 * @param isLeftOut by what follows the prefix.
 * @param parse reads values that are texts.
 * @returns `undefined` when there are none.
 */
export function takeMembers(
  attributes: OtelMap,
  prefix: string,
  isLeftOut?: (member: string) => boolean,
  parse = plainText,
): GivenMembers | undefined {
  let value: Record<string, unknown> | undefined;
  const from: string[] = [];
  for (const [name, held] of attributes) {
    if (held === null || !name.startsWith(prefix) || name === prefix) continue;
    const member = name.slice(prefix.length);
    if (isLeftOut?.(member)) continue;
    setMember((value ??= {}), member, typeof held === 'string' ? parse(held) : plainValue(held));
    from.push(name);
  }
  return value && { value, from };
}
