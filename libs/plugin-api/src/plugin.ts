import { z } from 'zod';
import { declaredConfigSchema } from './declared/declaration-schema.js';
import type { ProviderDeclaration } from './declared/provider-declaration.js';
import { providerOf } from './declared/provider-of.js';
import type { Dialect, DialectDeps } from './dialect/dialect.js';
import type { Provider, ProviderDeps } from './provider.js';
import type { Masker, MaskerDeps } from './masker.js';
import type { Scorer, ScorerDeps } from './scorer.js';
import type { ReadStore, ReadStoreDeps } from './read-store.js';
import type { SearchIndex, SearchIndexDeps } from './search-index.js';

/** The version of this plugin contract; a plugin that wants another stops the start. */
export const PLUGIN_API_VERSION = 1;

/**
 * A plugin: a plain object, the default export of the module that config `plugins:` names. `setup` is called once at
 * start with a checked `config`, and returns the extension; what it throws stops the start with name and reason.
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

/** A provider plugin; `setup` returns a whole provider, or with `Given` a declaration that is completed. */
export type ProviderPlugin<Config = unknown, Given extends Provider | ProviderDeclaration = Provider> = PluginOf<
  'provider',
  ProviderDeps,
  Given,
  Config
>;
/** A provider plugin that is a declaration and nothing else; its config `base_url` goes before the declared one. */
export type DeclaredProvider = ProviderDeclaration &
  Pick<ProviderPlugin, 'extensionPoint' | 'name' | 'apiVersion'> & { readonly config?: never; readonly setup?: never };
/** A provider plugin in whichever way it is written. */
export type AnyProviderPlugin<Config = unknown> =
  | ProviderPlugin<Config, Provider | ProviderDeclaration>
  | DeclaredProvider;
export type ScorerPlugin<Config = unknown> = PluginOf<'scorer', ScorerDeps, Scorer<Config>, Config>;
export type SearchIndexPlugin<Config = unknown> = PluginOf<'search-index', SearchIndexDeps, SearchIndex, Config>;
export type DialectPlugin<Config = unknown> = PluginOf<'dialect', DialectDeps, Dialect, Config>;
export type MaskerPlugin<Config = unknown> = PluginOf<'masker', MaskerDeps, Masker<Config>, Config>;
export type ReadStorePlugin<Config = unknown> = PluginOf<'read-store', ReadStoreDeps, ReadStore, Config>;
export type Plugin =
  | AnyProviderPlugin
  | ScorerPlugin
  | SearchIndexPlugin
  | ReadStorePlugin
  | DialectPlugin
  | MaskerPlugin;

/** Types a provider plugin; adds its extension point and version. See {@link Provider}. */
export const defineProvider = <Config, Given extends Provider | ProviderDeclaration = Provider>(
  plugin: Omit<ProviderPlugin<Config, Given>, 'extensionPoint' | 'apiVersion'>,
): ProviderPlugin<Config, Given> => ({ ...plugin, extensionPoint: 'provider', apiVersion: PLUGIN_API_VERSION });

/** Types a scorer plugin; adds its extension point and version. See {@link Scorer}. */
export const defineScorer = <Config>(
  plugin: Omit<ScorerPlugin<Config>, 'extensionPoint' | 'apiVersion'>,
): ScorerPlugin<Config> => ({ ...plugin, extensionPoint: 'scorer', apiVersion: PLUGIN_API_VERSION });

/** Types a search index plugin; adds its extension point and version. See {@link SearchIndex}. */
export const defineSearchIndex = <Config>(
  plugin: Omit<SearchIndexPlugin<Config>, 'extensionPoint' | 'apiVersion'>,
): SearchIndexPlugin<Config> => ({ ...plugin, extensionPoint: 'search-index', apiVersion: PLUGIN_API_VERSION });

/** Types a read store plugin; adds its extension point and version. See {@link ReadStore}. */
export const defineReadStore = <Config>(
  plugin: Omit<ReadStorePlugin<Config>, 'extensionPoint' | 'apiVersion'>,
): ReadStorePlugin<Config> => ({ ...plugin, extensionPoint: 'read-store', apiVersion: PLUGIN_API_VERSION });

/** Types a dialect plugin; adds its extension point and version. See {@link Dialect}. */
export const defineDialect = <Config>(
  plugin: Omit<DialectPlugin<Config>, 'extensionPoint' | 'apiVersion'>,
): DialectPlugin<Config> => ({ ...plugin, extensionPoint: 'dialect', apiVersion: PLUGIN_API_VERSION });

/** Types a masker plugin; adds its extension point and version. See {@link Masker}. */
export const defineMasker = <Config>(
  plugin: Omit<MaskerPlugin<Config>, 'extensionPoint' | 'apiVersion'>,
): MaskerPlugin<Config> => ({ ...plugin, extensionPoint: 'masker', apiVersion: PLUGIN_API_VERSION });

/** The schema of a plugin's config, in whichever way the plugin gives it. */
export function pluginConfigSchema(plugin: Plugin): z.ZodType {
  if (isDeclared(plugin)) return declaredConfigSchema;
  if (plugin.config === undefined) return z.strictObject({});
  return typeof plugin.config === 'function' ? plugin.config(z) : plugin.config;
}

const isDeclared = (plugin: Plugin): plugin is DeclaredProvider => plugin.setup === undefined;

/**
 * Sets a plugin up; what a provider plugin declares is completed. @param config as {@link pluginConfigSchema} makes it.
 * @throws what `setup` throws, and DeclarationError for a declaration that is not right.
 */
export async function setUpExtension(plugin: Plugin, deps: ProviderDeps, config: unknown): Promise<unknown> {
  if (plugin.extensionPoint !== 'provider') return plugin.setup(deps, config);
  const given = isDeclared(plugin) ? declarationOf(plugin, config) : await plugin.setup(deps, config);
  return typeof given === 'object' && given !== null ? providerOf(given) : given;
}

function declarationOf(plugin: DeclaredProvider, config: unknown): ProviderDeclaration {
  const { extensionPoint: _point, name: _name, apiVersion: _version, ...declaration } = plugin;
  const { base_url: baseUrl = declaration.baseUrl } = config as z.output<typeof declaredConfigSchema>;
  return { ...declaration, baseUrl };
}
