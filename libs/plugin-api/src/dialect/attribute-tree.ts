import type { Given, GivenMembers } from './dialect.js';
import type { OtelMap } from './otel-span.js';
import { plainValue, setMember } from './plain-value.js';

/** Levels that flattened names may have. */
const DEPTH_MAX = 32;

interface Branch {
  [member: string]: unknown;
}

/**
 * Attributes that flatten one value, put together again: `a.0.b = 1, a.1.b = 2` under `a.` is `[{b: 1}, {b: 2}]`. Parts of
 * names that are all numbers make a list in their order, gaps left out.
 * @param prefix with the dot at its end.
 * @param leave names that are no part of it.
 * @returns `undefined` when no attribute begins so.
 */
export function takeTree(attributes: OtelMap, prefix: string, leave?: (name: string) => boolean): Given | undefined {
  let root: Branch | undefined;
  const from: string[] = [];
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix) || value === null || leave?.(name)) continue;
    root ??= newBranch();
    if (!plant(root, name.slice(prefix.length).split('.'), plainValue(value))) continue;
    from.push(name);
  }
  return root === undefined || from.length === 0 ? undefined : { value: grown(root), from };
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
  let value: Record<string, unknown> | undefined;
  const from: string[] = [];
  for (const [name, held] of attributes) {
    if (!name.startsWith(prefix) || name.length === prefix.length || held === null) continue;
    const member = name.slice(prefix.length);
    if (isLeftOut?.(member)) continue;
    setMember((value ??= {}), member, plainValue(held));
    from.push(name);
  }
  return value && { value, from };
}

const newBranch = (): Branch => Object.create(null) as Branch;

/** Branches made here, so that a structured value of an attribute is told from one. */
const isBranch = (value: unknown): value is Branch =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;

/** @returns false where another attribute stands in the way, or the name has too many parts. */
function plant(root: Branch, path: readonly string[], value: unknown): boolean {
  if (path.length > DEPTH_MAX) return false;
  let branch = root;
  for (let at = 0; at < path.length - 1; at++) {
    const next = (branch[path[at]!] ??= newBranch());
    if (!isBranch(next)) return false;
    branch = next;
  }
  const last = path[path.length - 1]!;
  if (last in branch) return false;
  branch[last] = value;
  return true;
}

/** Members of an object that are numbers come first and in their order, whatever order they were set in. */
function grown(value: unknown): unknown {
  if (!isBranch(value)) return value;
  const names = Object.keys(value);
  if (names.every(isIndex)) return names.map((name) => grown(value[name]));
  const object: Record<string, unknown> = {};
  for (const name of names) setMember(object, name, grown(value[name]));
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
