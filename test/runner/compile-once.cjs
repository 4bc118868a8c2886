/**
 * Compiles a module once for all test files of a worker. Jest gives each unit spec a context of its own and compiles again in it
 * whatever the file imports, which took a third of the CPU of the unit tests. Contexts share compiled code only: each
 * evaluates it for itself, with state of its own.
 *
 * Jest compiles by `compileFunction` and `SourceTextModule` of `node:vm`, which loading this file replaces.
 */
const vm = require('node:vm');
const { compileFunction, Script, SourceTextModule } = vm;

/** Each worker runs a test file once: to keep its code would only take memory. */
const isTestFile = (path) => path.endsWith('spec.ts');

const scripts = new Map();
/** What `import()` calls in a script, by context and key of the script. */
const importers = new WeakMap();
let currentContext;

/** A CommonJS module: one script for all contexts, whose functions are compiled once too. */
vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext, importModuleDynamically } = options ?? {};
  if (parsingContext === undefined || filename === undefined || source.startsWith('#!')) {
    return compileFunction(source, parameters, options);
  }
  const key = `${filename}\0${parameters}`;
  let compiled = scripts.get(key);
  if (compiled?.source !== source) {
    try {
      compiled = { source, script: compileScript(source, parameters, filename, key) };
    } catch {
      // Jest reads what this one throws.
      return compileFunction(source, parameters, options);
    }
    scripts.set(key, compiled);
  }
  const ofContext = importers.get(parsingContext) ?? new Map();
  importers.set(parsingContext, ofContext.set(key, importModuleDynamically));
  currentContext = parsingContext;
  return compiled.script.runInContext(parsingContext);
};

function compileScript(source, parameters, filename, key) {
  const head = `(function (${parameters}) {`;
  return new Script(`${head}${source}\n})`, {
    filename,
    // Positions in the first line of the module stay what they are.
    columnOffset: -head.length,
    importModuleDynamically: (...request) => {
      const importer = importers.get(currentContext)?.get(key);
      if (importer === undefined) throw new Error(`import() in ${filename} came after its test file had ended.`);
      return importer(...request);
    },
  });
}

const codeCaches = new Map();

/** An ES module: a context compiles from the code cache of the first one, which takes a tenth of the time. */
vm.SourceTextModule = new Proxy(SourceTextModule, {
  construct(target, [source, options]) {
    const key = options?.identifier;
    if (key === undefined || isTestFile(key)) return new target(source, options);
    const known = codeCaches.get(key);
    if (known?.source === source) {
      try {
        return new target(source, { ...options, cachedData: known.cachedData });
      } catch (error) {
        // V8 refuses what it compiled under other flags, which a program may change.
        if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      }
    }
    const compiled = new target(source, options);
    codeCaches.set(key, { source, cachedData: compiled.createCachedData() });
    return compiled;
  },
});
