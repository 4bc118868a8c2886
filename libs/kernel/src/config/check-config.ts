import { dottedPath } from '@spandrel/contract';
import { z } from 'zod';
import { faultWords } from '../faults/invalid-request.js';
import { nearestName } from '../nearest-name.js';
import { settingName, type Setting } from './setting.js';

/** Config as yaml has it: groups of settings by name. */
export type ConfigTree = { [key: string]: unknown };

export const PLUGINS_KEY = 'plugins';

export const isTree = (value: unknown): value is ConfigTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function putAt(tree: ConfigTree, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop()!;
  const parent = names.reduce<ConfigTree>((node, name) => (node[name] ??= {}) as ConfigTree, tree);
  parent[last] = value;
}

export const valueIn = (tree: ConfigTree, path: string): unknown =>
  path.split('.').reduce<unknown>((node, name) => (isTree(node) ? node[name] : undefined), tree);

/** The dotted paths of all leaves of a tree. */
const leafPaths = (tree: ConfigTree, isLeaf: (value: unknown) => boolean, above = ''): string[] =>
  Object.entries(tree).flatMap(([name, value]) =>
    isLeaf(value) ? [above + name] : leafPaths(value as ConfigTree, isLeaf, `${above}${name}.`),
  );

/** Lays `upper` over `lower`: members of objects one by one, plugins as a list, everything else whole. */
function overlay(lower: ConfigTree, upper: ConfigTree): ConfigTree {
  const result: ConfigTree = { ...lower };
  for (const [key, value] of Object.entries(upper)) {
    const below = result[key];
    if (value !== undefined) result[key] = isTree(value) && isTree(below) ? overlay(below, value) : value;
    if (key === PLUGINS_KEY && Array.isArray(value) && Array.isArray(below)) {
      // Plugins listed above come first; those below stay, unless an entry above names them.
      const named = new Set(value.map(pluginUsed));
      result[key] = [...value, ...below.filter((entry) => !named.has(pluginUsed(entry)))];
    }
  }
  return result;
}

const pluginUsed = (entry: unknown): unknown => (isTree(entry) ? entry['use'] : entry);

/** Settings from one place: a file, the flags, or the environment. */
export interface ConfigSource {
  tree: ConfigTree;
  /** Where the value at a path was given, as `/etc/own.yaml:3` or `--port`; `undefined` where this source has none. */
  placeOf(path: readonly PropertyKey[]): string | undefined;
}

/** Where a value, or the nearest group around it, was given: ` (from --port)`, the end of a fault; empty for a default. */
export function givenBy(sources: readonly ConfigSource[], path: readonly PropertyKey[]): string {
  for (let length = path.length; length > 0; length--) {
    for (const source of sources) {
      const place = source.placeOf(path.slice(0, length));
      if (place !== undefined) return ` (from ${place})`;
    }
  }
  return '';
}

/**
 * Checks config against the settings that a program declares.
 * @param known names of other programs' settings, which are no mistake.
 * @param sources the one that wins first. @param faults gets a line a fault, in the order of the settings.
 * @returns the checked values by dotted path; `undefined` when there are faults.
 */
export function checkConfig(
  settings: readonly Setting[],
  known: ConfigTree,
  sources: readonly ConfigSource[],
  faults: string[],
): ((path: string) => unknown) | undefined {
  const shape = shapeOf(settings, known);
  const config = sources.map(({ tree }) => tree).reduceRight((lower, upper) => overlay(lower, upper), {});
  const { data, error } = asSchema(shape).safeParse(config, ONCE);
  const place = ({ path }: z.core.$ZodIssue): number => {
    const at = settings.findIndex((setting) => isWithin(dottedPath(path), setting.path));
    return at < 0 ? settings.length : at;
  };
  for (const issue of (error?.issues ?? []).toSorted((a, b) => place(a) - place(b))) {
    const report = (path: readonly PropertyKey[], fault: string): void => {
      const dotted = dottedPath(path);
      const name = settingName(settings.find((setting) => setting.path === dotted) ?? { path: dotted });
      faults.push(`${name}: ${fault}${givenBy(sources, path)}`);
    };
    if (issue.code !== 'unrecognized_keys') report(issue.path, issue.message);
    else {
      for (const key of issue.keys) report([...issue.path, key], unknownName(key, issue.path, shape));
    }
  }
  return error ? undefined : (path) => valueIn(data as ConfigTree, path);
}

/** Parsed once in the life of a program: compiling the schemas first would take longer than it saves. Faults are said as requests' are. */
const ONCE = { jitless: true, error: faultWords };

const isWithin = (path: string, setting: string): boolean =>
  path.startsWith(setting) && ['', '.', '['].includes(path.charAt(setting.length));

function shapeOf(settings: readonly Setting[], known: ConfigTree): ConfigTree {
  const shape: ConfigTree = {};
  for (const { path, schema, default: value } of settings) {
    putAt(shape, path, value === undefined ? schema : schema.prefault(value));
  }
  for (const path of leafPaths(known, (value) => !isTree(value) || Object.keys(value).length === 0)) {
    const isDeclared = settings.some((setting) => isWithin(path, setting.path));
    if (!isDeclared) putAt(shape, path, z.unknown());
  }
  return shape;
}

const asSchema = (shape: unknown): z.ZodType =>
  shape instanceof z.ZodType
    ? shape
    : z
        .strictObject(Object.fromEntries(Object.entries(shape as ConfigTree).map(([key, of]) => [key, asSchema(of)])))
        .prefault({});

function unknownName(name: string, group: readonly PropertyKey[], shape: ConfigTree): string {
  const paths = leafPaths(shape, (value) => value instanceof z.ZodType);
  // A name as everything but a file has it.
  if (paths.includes(name)) return `is written in its group in a file, as "${name.replaceAll('.', ': { ')}: … }"`;
  const above = dottedPath(group);
  const found = above === '' ? shape : valueIn(shape, above);
  const nearest = isTree(found) ? nearestName(name, Object.keys(found)) : undefined;
  const meant =
    nearest === undefined ? paths.find((path) => path.endsWith(`.${name}`)) : [...group.map(String), nearest].join('.');
  return `there is no such setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
