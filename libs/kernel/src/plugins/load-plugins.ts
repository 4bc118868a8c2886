import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dottedPath } from '@spandrel/contract';
import {
  DeclarationError,
  PLUGIN_API_VERSION,
  pluginConfigSchema,
  setUpExtension,
  type Dialect,
  type Masker,
  type Plugin,
  type Scorer,
  type ScorerConfigFault,
} from '@spandrel/plugin-api';
import type { z } from 'zod';
import type { PluginEntry } from '../config/core-settings.js';
import { StartError } from '../errors.js';
import type { Logger } from '../log/logger.js';
import { PACKAGE } from '../package-root.js';
import { configJsonSchema, layConfig, type Configurable, type Named, type PluginRegistry } from './plugin-registry.js';
import { asPlugin, runAsPlugin } from './plugin-context.js';

const EXTENSION_POINTS = ['provider', 'scorer', 'search-index', 'read-store', 'dialect', 'masker'] as const;
type ExtensionPoint = (typeof EXTENSION_POINTS)[number];

/** A plugin of any extension point; only the registry's scorers and maskers show more than their extension. */
type LoadedPlugin = Named<unknown> & Configurable & { entry: PluginEntry };

/** Loads plugins and sets them up, in order. @param points those that are; all when left out. @throws StartError */
export async function loadPlugins(
  entries: readonly PluginEntry[],
  logger: Logger,
  points: readonly ExtensionPoint[] = EXTENSION_POINTS,
): Promise<PluginRegistry> {
  const loaded = new Map(EXTENSION_POINTS.map((point): [ExtensionPoint, LoadedPlugin[]] => [point, []]));
  const faults: string[] = [];
  for (const entry of entries) {
    try {
      const plugin = await runAsPlugin(entry.use, () => importPlugin(entry.use));
      if (!points.includes(plugin.extensionPoint)) continue;
      const point = loaded.get(plugin.extensionPoint)!;
      const taken = point.find(({ name }) => name === plugin.name);
      if (taken && BUILT_IN.has(entry.use) && !BUILT_IN.has(taken.entry.use)) {
        // A plugin of the user's may be older than the built-in one.
        logger.warn(
          { plugin: entry.use },
          `the built-in ${plugin.name} is left out, since ${taken.entry.use} has its name`,
        );
        continue;
      }
      if (taken) {
        throw new PluginFault(`the ${plugin.extensionPoint} name "${plugin.name}" is already taken`);
      }
      const schema = pluginConfigSchema(plugin);
      const extension = await runAsPlugin(plugin.name, () => setUp(plugin, schema, entry.config, logger));
      point.push({
        name: plugin.name,
        entry,
        // A built-in plugin is code of ours, and its faults are faults of ours.
        extension: BUILT_IN.has(entry.use) ? extension : asPlugin(plugin.name, extension),
        configure: (overrides) => layConfig(schema, entry.config, overrides, quickFaultsOf(extension)),
        configSchema: plugin.config === undefined ? null : configJsonSchema(schema),
      });
    } catch (error) {
      faults.push(`plugin "${entry.use}": ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (faults.length > 0) throw new StartError(faults);
  return {
    providers: loaded.get('provider'),
    scorers: loaded.get('scorer'),
    searchIndexes: loaded.get('search-index'),
    readStores: loaded.get('read-store'),
    dialects: loaded.get('dialect'),
    maskers: loaded.get('masker'),
  } as PluginRegistry;
}

/** Loads plugins of a process once more, in a thread of it, without a word in the log. @throws StartError */
export const loadPluginsInThread = (
  entries: readonly PluginEntry[],
  points?: readonly ExtensionPoint[],
): Promise<PluginRegistry> => loadPlugins(entries, SILENT, points);

const ignore = (): void => undefined;
const SILENT = { child: () => SILENT, info: ignore, warn: ignore, error: ignore } as unknown as Logger;

class PluginFault extends Error {}

/** The specifier of a plugin entry: a file (absolute or from the working folder), a built-in, else an npm package. */
function resolvePlugin(use: string): string {
  if (isAbsolute(use)) return pathToFileURL(use).href;
  if (/^\.\.?\//.test(use)) return pathToFileURL(resolve(use)).href;
  return BUILT_IN.get(use) ?? use;
}

/** Built-in plugins: `plugins/<extension point>/<name>/index`. */
const BUILT_IN: ReadonlyMap<string, string> = findBuiltIns(join(PACKAGE.code, 'plugins'));

function findBuiltIns(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const group of readdirSync(folder, { withFileTypes: true })) {
    if (!group.isDirectory()) continue;
    for (const plugin of readdirSync(join(folder, group.name), { withFileTypes: true })) {
      const entry = readdirSync(join(folder, group.name, plugin.name)).find((file) => /^index\.(js|ts)$/.test(file));
      if (entry) found.set(plugin.name, pathToFileURL(join(folder, group.name, plugin.name, entry)).href);
    }
  }
  return found;
}

async function importPlugin(use: string): Promise<Plugin> {
  const specifier = resolvePlugin(use);
  if (specifier.startsWith('file:') && !existsSync(new URL(specifier))) throw new PluginFault('there is no such file');
  let module: { default?: unknown };
  try {
    module = (await import(specifier)) as typeof module;
  } catch (error) {
    throw new PluginFault(describeImportError(use, error), { cause: error });
  }
  const plugin = module.default as Partial<Plugin> | undefined;
  if (typeof plugin !== 'object' || plugin === null) throw new PluginFault('has no default export that is a plugin');
  if (!EXTENSION_POINTS.includes(plugin.extensionPoint as ExtensionPoint)) {
    throw new PluginFault(`extensionPoint must be one of ${EXTENSION_POINTS.join(', ')}`);
  }
  if (plugin.apiVersion !== PLUGIN_API_VERSION) {
    throw new PluginFault(
      `wants apiVersion ${String(plugin.apiVersion)}; this Spandrel has apiVersion ${PLUGIN_API_VERSION}`,
    );
  }
  if (typeof plugin.name !== 'string' || !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(plugin.name)) {
    throw new PluginFault('name must be 1 to 64 letters, digits, "-" and "_", beginning with a letter');
  }
  if (typeof plugin.setup !== 'function' && !(plugin.extensionPoint === 'provider' && 'baseUrl' in plugin)) {
    throw new PluginFault(`has no setup function${plugin.extensionPoint === 'provider' ? ' and no baseUrl' : ''}`);
  }
  return plugin as Plugin;
}

function describeImportError(use: string, error: unknown): string {
  const message = error instanceof Error ? error.message.split('\n')[0]! : String(error);
  return /cannot find (?:module|package)/i.test(message) && message.includes(use)
    ? `is no built-in plugin (${[...BUILT_IN.keys()].sort().join(', ')}) and no installed npm package`
    : `cannot be loaded: ${message}`;
}

async function setUp(plugin: Plugin, schema: z.ZodType, config: unknown, logger: Logger): Promise<object> {
  const checked = await checkConfig(schema, config);
  let extension: unknown;
  try {
    extension = await setUpExtension(plugin, { logger: pluginLogger(plugin, logger) }, checked);
  } catch (error) {
    if (error instanceof DeclarationError) throw error;
    throw new PluginFault(`setup failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (typeof extension !== 'object' || extension === null) throw new PluginFault('setup returned no extension');
  if (plugin.extensionPoint === 'scorer') assertScorer(extension);
  if (plugin.extensionPoint === 'dialect') assertDialect(extension);
  if (plugin.extensionPoint === 'masker') assertMasker(extension);
  return extension;
}

/** What a scorer finds wrong with a config; one that may compute for long is asked in a thread, where it is used. */
function quickFaultsOf(extension: Partial<Scorer>): (config: unknown) => readonly ScorerConfigFault[] {
  return (config) => (extension.inThread ? [] : (extension.configFaults?.(config) ?? []));
}

function assertScorer(scorer: Partial<Scorer>): void {
  const { score, needsExpected, configFaults } = scorer;
  if (typeof score !== 'function') throw new PluginFault('setup returned a scorer without a score function');
  if (typeof needsExpected !== 'boolean') throw new PluginFault('needsExpected of its scorer must be true or false');
  for (const name of ['asksJudge', 'isGraded', 'embeds', 'inThread', 'needsBaseline'] as const) {
    if (!['boolean', 'undefined'].includes(typeof scorer[name]))
      throw new PluginFault(`${name} of its scorer must be true or false`);
  }
  if (configFaults !== undefined && typeof configFaults !== 'function')
    throw new PluginFault('configFaults of its scorer must be a function');
}

function assertDialect({ read, claims }: Partial<Dialect>): void {
  if (typeof read !== 'function') throw new PluginFault('setup returned a dialect without a read function');
  const lists: unknown[] = typeof claims === 'object' && claims !== null ? Object.values(claims) : [];
  const isNames = (list: unknown): boolean => Array.isArray(list) && list.every((name) => typeof name === 'string');
  if (!lists.some((list) => isNames(list) && (list as string[]).length > 0) || !lists.every(isNames)) {
    throw new PluginFault('claims of its dialect must have lists of names: attributes, events, scopes or spans');
  }
}

function assertMasker({ label, finder }: Partial<Masker>): void {
  if (typeof finder !== 'function') throw new PluginFault('setup returned a masker without a finder function');
  if (typeof label !== 'string' || !/^[a-z][a-z0-9_-]{0,31}$/.test(label)) {
    throw new PluginFault(
      'label of its masker must be 1 to 32 small letters, digits, "-" and "_", beginning with a letter',
    );
  }
}

async function checkConfig(schema: z.ZodType, config: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(config);
  if (!result.issues) return result.value;
  const faults = result.issues.map(({ path, message }) => {
    const keys = (path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));
    return `config${keys.length > 0 ? ` ${dottedPath(keys)}` : ''}: ${message}`;
  });
  throw new PluginFault(faults.join('; '));
}

function pluginLogger(plugin: Plugin, logger: Logger) {
  const own = logger.child({ plugin: plugin.name });
  return {
    info: (message: string, fields: object = {}) => own.info(fields, message),
    warn: (message: string, fields: object = {}) => own.warn(fields, message),
    error: (message: string, fields: object = {}) => own.error(fields, message),
  };
}
