import { dottedPath } from '@spandrel/contract';
import { z } from 'zod';
import {
  givenBy,
  type ConfigSource,
  isTree,
  leafPaths,
  overlay,
  putAt,
  valueAt,
  type ConfigTree,
} from './config-tree.js';
import { nearestName } from '../nearest-name.js';
import { settingName, type Setting } from './setting.js';

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
  return error ? undefined : (path) => valueAt(data as ConfigTree, path);
}

/** Parsed once in the life of a program: compiling the schemas first would take longer than it saves. */
const ONCE = { jitless: true };

const isWithin = (path: string, setting: string): boolean =>
  path.startsWith(setting) && ['', '.', '['].includes(path.charAt(setting.length));

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

function unknownName(name: string, group: readonly PropertyKey[], shape: ConfigTree): string {
  const paths = settingPaths(shape);
  // A name as everything but a file has it.
  if (paths.includes(name)) return `is written in its group in a file, as "${name.replaceAll('.', ': { ')}: … }"`;
  const above = dottedPath(group);
  const found = above === '' ? shape : valueAt(shape, above);
  const nearest = isTree(found) ? nearestName(name, Object.keys(found)) : undefined;
  const meant =
    nearest === undefined ? paths.find((path) => path.endsWith(`.${name}`)) : [...group.map(String), nearest].join('.');
  return `there is no such setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

const settingPaths = (shape: ConfigTree, above = ''): string[] =>
  Object.entries(shape).flatMap(([name, of]) =>
    of instanceof z.ZodType ? [above + name] : settingPaths(of as ConfigTree, `${above}${name}.`),
  );
