/**
 * One environment for all test files of a worker, so that what kept-runtime.cjs keeps of one file serves the next: a module
 * belongs to the context that evaluated it. What a file leaves in it goes with the file: globals, `process` with its environment
 * and listeners, and what jest itself keeps there for one file.
 */
const { installCommonGlobals } = require('jest-util');
const TestEnvironment = require('./environment.cjs');

/** Set once by packages that are kept, and asked for whenever they are used. */
const OF_PACKAGES = /^undici\./;
/** Given again to each file: by jest, and below. */
const GIVEN = new Set(['console', 'process']);
/** Where `expect` keeps what it knows of a file; it cannot be taken away. */
const OF_EXPECT = Symbol.for('$$jest-matchers-object');

let kept;

module.exports = class KeptEnvironment extends TestEnvironment {
  constructor(config, context) {
    if (kept !== undefined) {
      kept.open(config.projectConfig.globals);
      return kept;
    }
    super(config, context);
    kept = this;
    this.atFirst = new Map(this.globals());
  }

  /** @param globals of the project of the next file. */
  open(globals) {
    const { Date, Symbol } = this.global;
    Object.assign(this.global, globals);
    this.global.process = installCommonGlobals({ Date, Symbol }, {}).process;
  }

  /** Takes away what the file has left. The context itself goes on, for the next file. */
  async teardown() {
    this.global.process.emit('suiteOver');
    this.fakeTimersModern.useRealTimers();
    const { global, atFirst } = this;
    Object.assign(global[OF_EXPECT] ?? {}, newToExpect());
    for (const [key, { value, get, configurable }] of this.globals()) {
      const before = atFirst.get(key);
      if (!configurable) continue;
      if (before === undefined) {
        if (!OF_PACKAGES.test(typeof key === 'symbol' ? Symbol.keyFor(key) : key)) delete global[key];
      } else if (!GIVEN.has(key) && (before.value !== value || before.get !== get)) {
        Object.defineProperty(global, key, before);
      }
    }
    // What was deleted there jest would hold until its own end of the context.
    this._globalProxy.leftovers = [];
  }

  globals() {
    return Reflect.ownKeys(this.global).map((key) => [key, Object.getOwnPropertyDescriptor(this.global, key)]);
  }
};

const newToExpect = () => ({
  customEqualityTesters: [],
  matchers: Object.create(null),
  state: {
    assertionCalls: 0,
    expectedAssertionsNumber: null,
    isExpectingAssertions: false,
    numPassingAsserts: 0,
    suppressedErrors: [],
  },
});
