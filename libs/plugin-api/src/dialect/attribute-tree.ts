import type { Given, GivenMembers } from './dialect.js';
import type { OtelMap } from './otel-span.js';
import { namesUnder } from './names-under.js';
import { plainValue, setMember } from './plain-value.js';
import { rememberedByName } from './remembered-by-name.js';

/** Levels that flattened names may have. */
const DEPTH_MAX = 32;

/** A structured value that is being put together; a class of its own tells it from one that an attribute holds. */
class Branch {
  readonly members = new Map<string, unknown>();
}

/**
 * Attributes that flatten one value, put together again: `a.0.b = 1, a.1.b = 2` under `a.` is `[{b: 1}, {b: 2}]`. Parts of
 * names that are all numbers make a list in their order, gaps left out.
 * @param prefix with the dot at its end.
 * @param leave names that are no part of it.
 * @returns `undefined` when no attribute begins so.
 */
export function takeTree(attributes: OtelMap, prefix: string, leave?: (name: string) => boolean): Given | undefined {
  const under = namesUnder(attributes, prefix);
  if (under.length === 0) return undefined;
  const root = new Branch();
  const depth = partsOf(prefix).length - 1;
  const from: string[] = [];
  for (const { name } of under) {
    const value = attributes.get(name);
    if (value === undefined || value === null || leave?.(name)) continue;
    if (plant(root, partsOf(name), depth, plainValue(value))) from.push(name);
  }
  return from.length === 0 ? undefined : { value: grown(root), from };
}

/**
 * Attributes with one prefix as members named by what follows it.
 * @param prefix with the dot at its end.
 * @param isLeftOut by what follows the prefix.
 * @returns `undefined` when there are none.
 */
export function takeMembers(
  attributes: OtelMap,
  prefix: string,
  isLeftOut?: (member: string) => boolean,
): GivenMembers | undefined {
  const under = namesUnder(attributes, prefix);
  if (under.length === 0) return undefined;
  let value: Record<string, unknown> | undefined;
  const from: string[] = [];
  for (const { name, member } of under) {
    const held = attributes.get(name);
    if (held === undefined || held === null || member === '' || isLeftOut?.(member)) continue;
    setMember((value ??= {}), member, plainValue(held));
    from.push(name);
  }
  return value && { value, from };
}

/** The parts of a name between its dots. */
const partsOf = rememberedByName((name): readonly string[] => name.split('.'));

/**
 * @param depth how many parts of the path the root stands for.
 * @returns false where another attribute stands in the way, or the name has too many parts.
 */
function plant(root: Branch, path: readonly string[], depth: number, value: unknown): boolean {
  const last = path.length - 1;
  if (last - depth >= DEPTH_MAX) return false;
  let { members } = root;
  for (let at = depth; at < last; at++) {
    let next = members.get(path[at]!);
    if (next === undefined) members.set(path[at]!, (next = new Branch()));
    if (!(next instanceof Branch)) return false;
    members = next.members;
  }
  if (members.has(path[last]!)) return false;
  members.set(path[last]!, value);
  return true;
}

/** Members that are numbers make a list in their order, whatever order they came in. */
function grown(value: unknown): unknown {
  if (!(value instanceof Branch)) return value;
  const { members } = value;
  const names = [...members.keys()];
  if (names.every(isIndex)) {
    return names.sort((a, b) => Number(a) - Number(b)).map((name) => grown(members.get(name)));
  }
  const object: Record<string, unknown> = {};
  for (const [name, member] of members) setMember(object, name, grown(member));
  return object;
}

function isIndex(name: string): boolean {
  if (name === '' || name.length > 9) return false;
  for (let at = 0; at < name.length; at++) {
    const digit = name.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}
