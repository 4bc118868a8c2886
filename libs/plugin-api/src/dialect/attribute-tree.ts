import type { Given, GivenMembers } from './dialect.js';
import { NameTree } from './name-tree.js';
import { namesUnder } from './names-under.js';
import type { OtelMap } from './otel-span.js';
import { plainValue, setMember } from './plain-value.js';

/**
 * Attributes that flatten one value, put together again: `a.0.b = 1, a.1.b = 2` under `a.` is `[{b: 1}, {b: 2}]`. Parts of
 * names that are all numbers make a list in their order, gaps left out.
 * @param prefix with the dot at its end.
 * @param leave names that are no part of it.
 * @returns `undefined` when no attribute begins so.
 */
export function takeTree(attributes: OtelMap, prefix: string, leave?: (name: string) => boolean): Given | undefined {
  const under = namesUnder(attributes, prefix);
  if (under.names.length === 0) return undefined;
  const isTaken = ({ name }: { name: string }): boolean => !isNone(attributes.get(name)) && leave?.(name) !== true;
  const tree = under.names.every(isTaken)
    ? under.tree
    : new NameTree(
        under.names.filter(isTaken).map(({ name }) => name),
        prefix,
      );
  return tree.names.length === 0 ? undefined : { value: tree.valueIn(attributes), from: tree.names };
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
  const tree = takeTree(attributes, prefix, leave);
  if (tree === undefined || isListed(tree)) return tree;
  const isOther = (name: string): boolean => !NUMBERED.test(name.slice(prefix.length)) || leave?.(name) === true;
  const listed = takeTree(attributes, prefix, isOther);
  return listed !== undefined && isListed(listed) ? listed : undefined;
}

const isListed = (tree: Given): tree is Given<readonly unknown[]> => Array.isArray(tree.value);

const NUMBERED = /^\d{1,9}(?:\.|$)/;

const isNone = (value: unknown): boolean => value === undefined || value === null;

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
  const { names } = namesUnder(attributes, prefix);
  let value: Record<string, unknown> | undefined;
  const from: string[] = [];
  for (const { name, member } of names) {
    const held = attributes.get(name);
    if (held === undefined || held === null || member === '' || isLeftOut?.(member)) continue;
    setMember((value ??= {}), member, plainValue(held));
    from.push(name);
  }
  return value && { value, from };
}
