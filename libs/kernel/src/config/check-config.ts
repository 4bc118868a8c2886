import { dottedPath } from '@spandrel/contract';
import { z } from 'zod';
import { isTree, leafPaths, putAt, valueAt, type ConfigTree } from './config-tree.js';
import { nearestName } from '../nearest-name.js';
import { settingName, type Setting } from './setting.js';

/**
 * Checks config against the settings that a program declares.
 * @param known names more that are no mistake though the program does not declare them: settings of other programs.
 * @param faults gets a line a fault, in the order in which the settings are declared.
 * @returns the checked values by dotted path; `undefined` when there are faults.
 */
export function checkConfig(
  settings: readonly Setting[],
  known: ConfigTree,
  config: ConfigTree,
  faults: string[],
): ((path: string) => unknown) | undefined {
  const shape = shapeOf(settings, known);
  const { data, error } = asSchema(shape).safeParse(config);
  const place = ({ path }: z.core.$ZodIssue): number => {
    const at = settings.findIndex((setting) => isWithin(dottedPath(path), setting.path));
    return at < 0 ? settings.length : at;
  };
  for (const issue of (error?.issues ?? []).toSorted((a, b) => place(a) - place(b))) {
    const path = dottedPath(issue.path);
    const name = settingName(settings.find((setting) => setting.path === path) ?? { path });
    faults.push(`${name}: ${issue.message}${meant(issue, path === '' ? shape : valueAt(shape, path))}`);
  }
  return error ? undefined : (path) => valueAt(data as ConfigTree, path);
}

/** Whether a dotted path is a setting, or something in its value. */
const isWithin = (path: string, setting: string): boolean =>
  path.startsWith(setting) && ['', '.', '['].includes(path.charAt(setting.length));

/** A schema for every setting, in groups as the files have them. */
function shapeOf(settings: readonly Setting[], known: ConfigTree): ConfigTree {
  const shape: ConfigTree = {};
  for (const { path, schema, default: value } of settings) {
    putAt(shape, path, value === undefined ? schema : schema.prefault(value));
  }
  for (const path of leafPaths(known)) {
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

/** Which setting an unknown name probably means. */
function meant(issue: z.core.$ZodIssue, group: unknown): string {
  if (issue.code !== 'unrecognized_keys' || !isTree(group)) return '';
  const names = issue.keys.map((key) => nearestName(key, Object.keys(group))).filter((name) => name !== undefined);
  return names.length > 0 ? `; did you mean ${names.map((name) => JSON.stringify(name)).join(', ')}?` : '';
}
