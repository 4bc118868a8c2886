import { StartError, type PluginRegistry } from '@spandrel/kernel';
import type { ReadStore } from '@spandrel/plugin-api';
import type { ReadStoreSettings } from './read-store.settings.js';

/** Injection token of the {@link ReadStore}; `null` where config names none. */
export const READ_STORE = Symbol('read store');

/** @throws StartError when config names a store that no plugin is, or wants of it what it cannot do. */
export function configuredStore(
  { plugin: name, hotDays }: Pick<ReadStoreSettings, 'plugin' | 'hotDays'>,
  plugins: Pick<PluginRegistry, 'readStores'>,
): ReadStore | null {
  if (name === null) {
    if (hotDays === null) return null;
    throw new StartError(['retention.hot_days: needs a read store, which takes the texts (read_store.plugin)']);
  }
  const found = plugins.readStores.find((plugin) => plugin.name === name);
  if (found && hotDays !== null && found.extension.capabilities.byId !== true) {
    throw new StartError([`retention.hot_days: the read store "${name}" cannot give texts back (byId)`]);
  }
  if (found) return found.extension;
  const loaded = plugins.readStores.map((plugin) => plugin.name).join(', ') || 'none';
  throw new StartError([
    `read_store.plugin: there is no read store plugin "${name}" (loaded: ${loaded}); list it in plugins:`,
  ]);
}
