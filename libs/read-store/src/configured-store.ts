import { StartError, type PluginRegistry } from '@spandrel/kernel';
import type { ReadStore } from '@spandrel/plugin-api';
import type { ReadStoreSettings } from './read-store.settings.js';

/** Injection token of the {@link ReadStore}; `null` where config names none. */
export const READ_STORE = Symbol('read store');

/** @throws StartError when config names a store that no plugin is. */
export function configuredStore(
  { plugin: name }: Pick<ReadStoreSettings, 'plugin'>,
  plugins: Pick<PluginRegistry, 'readStores'>,
): ReadStore | null {
  if (name === null) return null;
  const found = plugins.readStores.find((plugin) => plugin.name === name);
  if (found) return found.extension;
  const loaded = plugins.readStores.map((plugin) => plugin.name).join(', ') || 'none';
  throw new StartError([
    `read_store.plugin: there is no read store plugin "${name}" (loaded: ${loaded}); list it in plugins:`,
  ]);
}
