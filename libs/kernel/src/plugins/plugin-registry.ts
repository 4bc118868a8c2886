import type { Provider, Scorer, SearchIndex } from '@spandrel/plugin-api';

/** A loaded extension with the name it goes by. */
export interface Named<Extension> {
  readonly name: string;
  readonly extension: Extension;
}

/** The plugins of this process, by extension point, in the order of config. */
export interface PluginRegistry {
  readonly providers: readonly Named<Provider>[];
  readonly scorers: readonly Named<Scorer>[];
  readonly searchIndexes: readonly Named<SearchIndex>[];
}

/** Injection token of the {@link PluginRegistry}. */
export const PLUGINS = Symbol('plugins');
