import type { Dialect, Provider, Scorer, SearchIndex } from '@spandrel/plugin-api';
import type { ScorerConfig } from './configure-scorer.js';

/** A loaded extension with the name it goes by. */
export interface Named<Extension> {
  readonly name: string;
  readonly extension: Extension;
}

/** A loaded scorer, which every run may configure for itself. */
export interface LoadedScorer extends Named<Scorer> {
  /**
   * The config to score with: the scorer's own of yaml with a run's `scoring_config` laid over it, checked and completed
   * by the plugin's schema.
   * @returns `faults` with paths from the root of `overrides`; never throws.
   */
  configure(overrides: Readonly<Record<string, unknown>> | null | undefined): ScorerConfig;
  /** JSON Schema of its config; `null` when it takes none, or its schema cannot be told as one. */
  readonly configSchema: Record<string, unknown> | null;
}

/** The plugins of this process, by extension point, in the order of config. */
export interface PluginRegistry {
  readonly providers: readonly Named<Provider>[];
  readonly scorers: readonly LoadedScorer[];
  readonly searchIndexes: readonly Named<SearchIndex>[];
  readonly dialects: readonly Named<Dialect>[];
}

/** Injection token of the {@link PluginRegistry}. */
export const PLUGINS = Symbol('plugins');
