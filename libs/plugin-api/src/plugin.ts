import { z } from 'zod';
import type { Provider, ProviderDeps } from './provider.js';
import type { Scorer, ScorerDeps } from './scorer.js';
import type { SearchIndex, SearchIndexDeps } from './search-index.js';

/** The version of this plugin contract; a plugin that wants another stops the start. */
export const PLUGIN_API_VERSION = 1;

/**
 * A plugin: a plain object, so that an author needs no import at run time. The kernel reads it from the default export
 * of the module that config `plugins:` names, checks `config` against the schema, and calls `setup` once at start.
 *
 * `setup` gets only what its extension point hands out and returns the extension. What it throws stops the start with
 * the plugin's name and the reason.
 */
interface PluginOf<Point extends string, Deps, Extension, Config> {
  readonly extensionPoint: Point;
  /** Unique within its extension point; the name used on the wire (`provider`, `scoring`) and in config. */
  readonly name: string;
  readonly apiVersion: typeof PLUGIN_API_VERSION;
  /**
   * Checks and completes the plugin's own config (config `plugins[].config`): a zod 4 schema, or a function that makes
   * one of the zod it is given, so that a plugin in a folder of its own needs no zod. Absent: it takes no config.
   */
  readonly config?: z.ZodType<Config> | ((zod: typeof z) => z.ZodType<Config>);
  setup(deps: Deps, config: Config): Extension | Promise<Extension>;
}

export type ProviderPlugin<Config = unknown> = PluginOf<'provider', ProviderDeps, Provider, Config>;
export type ScorerPlugin<Config = unknown> = PluginOf<'scorer', ScorerDeps, Scorer<Config>, Config>;
export type SearchIndexPlugin<Config = unknown> = PluginOf<'search-index', SearchIndexDeps, SearchIndex, Config>;
export type Plugin = ProviderPlugin | ScorerPlugin | SearchIndexPlugin;

/** Types a provider plugin; adds its extension point and version. See {@link Provider}. */
export const defineProvider = <Config>(
  plugin: Omit<ProviderPlugin<Config>, 'extensionPoint' | 'apiVersion'>,
): ProviderPlugin<Config> => ({ ...plugin, extensionPoint: 'provider', apiVersion: PLUGIN_API_VERSION });

/** Types a scorer plugin; adds its extension point and version. See {@link Scorer}. */
export const defineScorer = <Config>(
  plugin: Omit<ScorerPlugin<Config>, 'extensionPoint' | 'apiVersion'>,
): ScorerPlugin<Config> => ({ ...plugin, extensionPoint: 'scorer', apiVersion: PLUGIN_API_VERSION });

/** Types a search index plugin; adds its extension point and version. See {@link SearchIndex}. */
export const defineSearchIndex = <Config>(
  plugin: Omit<SearchIndexPlugin<Config>, 'extensionPoint' | 'apiVersion'>,
): SearchIndexPlugin<Config> => ({ ...plugin, extensionPoint: 'search-index', apiVersion: PLUGIN_API_VERSION });

/** The schema of a plugin's config, in whichever way the plugin gives it. */
export function pluginConfigSchema(plugin: Plugin): z.ZodType {
  if (plugin.config === undefined) return z.strictObject({});
  return typeof plugin.config === 'function' ? plugin.config(z) : plugin.config;
}
