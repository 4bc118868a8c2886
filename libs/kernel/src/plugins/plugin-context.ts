import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** The plugin that an error which nobody handles comes from, asked while the error is reported; else `undefined`. */
export const pluginAtFault = (): string | undefined => current.getStore();

/** Runs code of a plugin. Whatever it starts and leaves behind (timers, promises) is known as the plugin's. */
export const runAsPlugin = <Result>(plugin: string, run: () => Result): Result => current.run(plugin, run);

/** Members with code of the plugin in them: a provider's calls, and what makes endpoints, stream readers and finders. */
const CODE: ReadonlySet<string | symbol> = new Set(['chat', 'embeddings', 'endpoint', 'finder', 'readStream']);

/** An extension whose functions and getters run as the plugin's code, see {@link runAsPlugin}. */
export function asPlugin<Extension extends object>(plugin: string, extension: Extension): Extension {
  const known = new WeakMap<object, object>();
  const wrap = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const wrapped = known.get(part) ?? makeWrapper(part);
    known.set(part, wrapped);
    return wrapped;
  };
  const makeWrapper = (part: object): object => {
    const get = (_: object, name: string | symbol): unknown => {
      const value = runAsPlugin(plugin, () => Reflect.get(part, name) as unknown);
      if (typeof value !== 'function') return CODE.has(name) ? wrap(value) : value;
      return (...args: unknown[]): unknown => {
        const result: unknown = runAsPlugin(plugin, () => Reflect.apply(value, part, args) as unknown);
        return CODE.has(name) ? wrap(result) : result;
      };
    };
    // The proxy is of an empty object: one of a frozen extension would have to show what is in it unchanged.
    return new Proxy({}, { get, has: (_, name) => Reflect.has(part, name) });
  };
  return wrap(extension) as Extension;
}
