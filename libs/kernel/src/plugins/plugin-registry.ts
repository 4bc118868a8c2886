import type { Dialect, Masker, Provider, Scorer, SearchIndex } from '@spandrel/plugin-api';
import type { PluginEntry } from '../config/core-settings.js';
import type { LaidConfig } from './plugin-config.js';

export interface Named<Extension> {
  readonly name: string;
  readonly extension: Extension;
}

/** What users configure once more where they use it: a scorer for a run, a masker in a rule. */
export interface Configurable {
  /** The plugin's config with `overrides` over it, checked. @returns `faults` by paths of `overrides`; never throws. */
  configure(overrides: Readonly<Record<string, unknown>> | null | undefined): LaidConfig;
  /** JSON Schema of its config; `null` when it takes none, or its schema cannot be described as one. */
  readonly configSchema: Record<string, unknown> | null;
}

/** A loaded scorer, which every run may configure for itself (`scoring_config`). */
export type LoadedScorer = Named<Scorer> &
  Configurable & {
    /** What it was loaded by, so that a thread can load it too. */
    readonly entry: PluginEntry;
  };

/** A loaded masker, which every rule of a project may configure for itself. */
export type LoadedMasker = Named<Masker> &
  Configurable & {
    /** What it was loaded by, so that a thread can load it too. */
    readonly entry: PluginEntry;
  };

type LoadedDialect = Named<Dialect> & {
  readonly entry: PluginEntry;
};

/** The plugins of this process, by extension point, in the order of config. */
export interface PluginRegistry {
  readonly providers: readonly Named<Provider>[];
  readonly scorers: readonly LoadedScorer[];
  readonly searchIndexes: readonly Named<SearchIndex>[];
  readonly dialects: readonly LoadedDialect[];
  readonly maskers: readonly LoadedMasker[];
}

export const PLUGINS = Symbol('plugins');
