/**
 * One runtime of jest for all test files of a worker, in one context (kept-environment.cjs): packages and the bundles of libs are
 * evaluated once a worker, not once a file, which took half of the CPU of the whole-system tests. Tests and what they share
 * (`test/`) are evaluated for each file, and so is jest itself.
 *
 * What libs and packages keep at the top of a module is then shared by files, as it is by the requests of a program.
 */
const { isBuiltin } = require('node:module');
const { default: Runtime } = require('jest-runtime');

/** The keys of jest's registries: paths, addresses of files, names of Node's modules, and `@jest/globals/` for each that imports it. */
const isKept = (key) => isBuiltin(key) || (key.includes('/node_modules/') && !key.startsWith('@jest/globals'));

let kept;

module.exports = class KeptRuntime extends Runtime {
  constructor(...given) {
    if (kept !== undefined) {
      const testPath = given[6];
      kept.open(testPath);
      return kept;
    }
    super(...given);
    kept = this;
  }

  open(testPath) {
    for (const part of [this.esmLoader, this.executor]) part.testPath = testPath;
    this._testPath = testPath;
    this.testState.state = 'loading';
    this.installGetBuiltinModule();
  }

  teardown() {
    const { esModuleRegistry, moduleRegistry } = this.registries;
    const modules = [...esModuleRegistry].filter(([key, { status }]) => isKept(key) && status === 'evaluated');
    const scripts = [...moduleRegistry].filter(([key, { loaded }]) => isKept(key) && loaded);
    super.teardown();
    for (const [key, module] of modules) esModuleRegistry.set(key, module);
    for (const [key, script] of scripts) moduleRegistry.set(key, script);
    // They are those of the file that is through.
    this.jestGlobals.cachedEnvGlobals = undefined;
    this.jestGlobals.setEnvGlobalsOverride(undefined);
  }
};
