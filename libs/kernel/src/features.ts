import { StartError } from './errors.js';
import type { SettingsPart } from './config/setting.js';
import type { Scope } from './request-context.js';

/** A Nest module plus what the kernel must know of it before Nest starts. Config `features:` selects some by name. */
export interface Feature {
  readonly name: string;
  /** Heading of its routes in the OpenAPI document; its name when left out. */
  readonly tag?: { name: string; description: string };
  readonly module: abstract new (...args: never[]) => unknown;
  readonly entities: readonly unknown[];
  /** Tables whose rows belong to a project or an organization, in the order in which they go with it. */
  readonly owned?: readonly OwnedTable[];
  /** What users set of it: each class is also the token by which the feature injects its values. */
  readonly settings?: readonly SettingsPart[];
  readonly requires: readonly string[];
  readonly mode?: 'local' | 'cloud';
}

export const defineFeature = (feature: Feature): Feature => Object.freeze(feature);

/** A table whose rows go with their owner (docs/spec/projects.md#deleting-a-project); a test refuses unlisted ones. */
export interface OwnedTable {
  readonly table: string;
  readonly by: 'project_id' | 'org_id';
}

/** Tables by whose column `project_id` their rows go. */
export const ofProjects = (...tables: readonly string[]): OwnedTable[] =>
  tables.map((table) => ({ table, by: 'project_id' }));

/**
 * The features to load, required ones before those that need them.
 * @param wanted names from config `features:`; `undefined` loads all of the mode.
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

/** Answers about projects beyond the caller's own; the feature `access` provides it, in local mode nobody does. */
export interface ProjectDirectory {
  /** @returns `undefined` when there is no such project, or it is being deleted. @throws Unavailable */
  organizationOf(projectId: string): Promise<string | undefined>;
}

export const PROJECT_DIRECTORY = Symbol('project directory');

/** Knows who may make requests of a project; the feature `access` provides it, in local mode nobody does. */
export interface CallerDirectory {
  /** @param names ids of people and keys, `sub`s of JWTs, e-mail addresses. @returns ids of those who may review, by name. */
  findReviewers(scope: Scope, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export const CALLER_DIRECTORY = Symbol('caller directory');

/** How long the traces and spans of a project are kept. */
export interface RetentionTerm {
  readonly projectId: string;
  readonly orgId: string;
  /** The plan that says so; `null`: days that the project or its organization has of its own. */
  readonly plan: string | null;
  readonly days: number;
}

/** Says how long data is kept (docs/spec/limits.md#retention); in cloud mode only. */
export interface RetentionPolicy {
  /** The terms of all projects that have one; what belongs to others is kept. @throws Unavailable */
  terms(): Promise<readonly RetentionTerm[]>;
}

/** Injection token of the {@link RetentionPolicy}; where nobody provides one, everything is kept. */
export const RETENTION_POLICY = Symbol('retention policy');

export interface SealedText {
  /** Id of the secret key that sealed it; empty where nothing is sealed. */
  readonly keyId: string;
  /** Nonce, ciphertext and tag, base64. */
  readonly sealedKey: string;
}

/** Seals what features keep secret with the server's secret key; the feature `connections` provides it, which has the keys. */
export interface Sealer {
  /** @param projectId the project that the text is sealed for: in a row of another one it cannot be opened. */
  seal(text: string, projectId: string): SealedText;
  /** @returns `undefined` when this server lacks the key, or the text, its project or its key was changed. */
  unseal(sealed: SealedText, projectId: string): string | undefined;
}

/** Injection token of the {@link Sealer} for keys that texts are masked with. */
export const MASKING_SEALER = Symbol('masking sealer');
