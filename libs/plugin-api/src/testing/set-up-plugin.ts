import assert from 'node:assert/strict';
import { PLUGIN_API_VERSION, pluginConfigSchema, setUpExtension, type Plugin } from '../plugin.js';
import type { Provider } from '../provider.js';

/** Configs a plugin takes (the first is used for all other tests) and configs it refuses. */
export interface ConfigFixtures {
  accepted: readonly [unknown, ...unknown[]];
  refused: readonly unknown[];
}

const SILENT = { info() {}, warn() {}, error() {} };

type ExtensionOf<P extends Plugin> = P extends { readonly extensionPoint: 'provider' }
  ? Provider
  : P extends { setup(...args: never): infer Extension }
    ? Awaited<Extension>
    : never;

/** Sets a plugin up as the kernel does: with its config checked and completed, and what it declares completed too. */
export async function setUpPlugin<P extends Plugin>(plugin: P, config: unknown): Promise<ExtensionOf<P>> {
  const extension = await setUpExtension(plugin, { logger: SILENT }, pluginConfigSchema(plugin).parse(config));
  return extension as ExtensionOf<P>;
}

/** What every plugin must have: its shape, and a config schema that takes and refuses what it should. */
export function describePlugin(plugin: Plugin, extensionPoint: string, configs: ConfigFixtures, { it }: TestFunctions) {
  it(`has the shape of a ${extensionPoint} plugin`, () => {
    assert.equal(plugin.extensionPoint, extensionPoint);
    assert.equal(plugin.apiVersion, PLUGIN_API_VERSION);
    assert.match(plugin.name, /^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
  });
  for (const config of configs.accepted) {
    it(`accepts the config ${JSON.stringify(config)}`, async () => {
      assert.equal(typeof (await setUpPlugin(plugin, config)), 'object');
    });
  }
  for (const config of configs.refused) {
    it(`refuses the config ${JSON.stringify(config)}`, () => {
      assert.equal(pluginConfigSchema(plugin).safeParse(config).success, false);
    });
  }
}

/** The test functions of a contract suite: those of Jest, Vitest, Mocha or `node:test`, as an author likes. */
export interface TestFunctions {
  describe(name: string, define: () => void): unknown;
  it(name: string, test: () => void | Promise<void>): unknown;
}

/** Freezes a value through and through, so that a plugin that changes what it is given is found out. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** Runs a suite by itself, to see which of its tests fail. @returns names of the failed tests. */
export async function failuresOf(define: (test: TestFunctions) => void): Promise<string[]> {
  const tests: [string, () => void | Promise<void>][] = [];
  define({ describe: (_name, body) => body(), it: (name, body) => void tests.push([name, body]) });
  const failed = await Promise.all(
    tests.map(async ([name, body]) => {
      try {
        await body();
        return [];
      } catch {
        return [name];
      }
    }),
  );
  return failed.flat();
}
