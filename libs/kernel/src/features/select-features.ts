import { StartError } from '../errors/start-error.js';
import type { Feature } from './feature.js';

/**
 * The features to load, required ones before those that need them.
 * @param all features this program has.
 * @param mode features of the other one do not exist.
 * @param wanted names from config `features:`; `undefined` loads all.
 * @throws StartError naming every unknown, duplicate or missing feature, or the cycle.
 */
export function selectFeatures(
  all: readonly Feature[],
  mode: 'local' | 'cloud',
  wanted?: readonly string[],
): Feature[] {
  const available = all.filter((feature) => (feature.mode ?? mode) === mode);
  const byName = new Map<string, Feature>();
  const faults: string[] = [];
  for (const feature of available) {
    if (byName.has(feature.name)) faults.push(`feature "${feature.name}" is defined twice`);
    byName.set(feature.name, feature);
  }
  const names = wanted ?? [...byName.keys()];
  for (const [index, name] of names.entries()) {
    if (!byName.has(name))
      faults.push(`features: unknown feature "${name}"; there are: ${[...byName.keys()].join(', ')}`);
    if (names.indexOf(name) !== index) faults.push(`features: "${name}" is listed twice`);
  }
  const chosen = new Set(names);
  for (const name of chosen) {
    for (const required of byName.get(name)?.requires ?? []) {
      if (!chosen.has(required)) faults.push(`feature "${name}" requires feature "${required}", which is not loaded`);
    }
  }
  if (faults.length > 0) throw new StartError(faults);
  return sortTopologically([...chosen].map((name) => byName.get(name)!));
}

function sortTopologically(features: Feature[]): Feature[] {
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const ordered: Feature[] = [];
  const visit = (feature: Feature, path: string[]): void => {
    if (ordered.includes(feature)) return;
    if (path.includes(feature.name)) {
      const cycle = [...path.slice(path.indexOf(feature.name)), feature.name].join(' → ');
      throw new StartError([`features require each other in a circle: ${cycle}`]);
    }
    for (const required of feature.requires) visit(byName.get(required)!, [...path, feature.name]);
    ordered.push(feature);
  };
  for (const feature of features) visit(feature, []);
  return ordered;
}
