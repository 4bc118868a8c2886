import { SWC_OPTIONS } from './scripts/swc-options.mjs';
import { bundledLibs } from './test/support/bundle-libs.mjs';
import { bundledPackages } from './test/support/bundle-packages.mjs';

/**
 * Two projects: fast unit specs beside the code, whole-system tests in test/. ESM throughout.
 */

// Every row that a hand-written query returns is compared with its shape, in this process and in those that tests start.
process.env.SPANDREL_CHECK_ROWS = '1';

const packages = {
  ...(await bundledPackages()),
  '^fast-check$': '<rootDir>/test/support/seeded-fast-check.ts',
};
const TYPESCRIPT = { '^(\\.{1,2}/.*)\\.js$': '$1' };

const shared = {
  // Of each project: jest looks here for no other.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...SWC_OPTIONS, sourceMaps: true }],
  },
  setupFiles: ['reflect-metadata'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/dist-nest', '<rootDir>/data'],
};

const postgres = {
  globalSetup: '<rootDir>/test/support/start-shared-postgres.ts',
  globalTeardown: '<rootDir>/test/support/stop-shared-postgres.ts',
};

export default {
  testSequencer: './test/longest-first.cjs',
  // It ends what hangs. How quick something is no test can say on a machine that others use too.
  testTimeout: 180_000,
  // Modules of finished suites stay in a worker's memory; a new worker costs less than to collect around them.
  workerIdleMemoryLimit: '1GB',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      moduleNameMapper: {
        ...packages,
        '^@spandrel/contract/browser$': '<rootDir>/libs/contract/src/browser.ts',
        '^@spandrel/kernel/launch$': '<rootDir>/libs/kernel/src/launch.ts',
        '^@spandrel/masking/engine$': '<rootDir>/libs/masking/src/engine.ts',
        '^@spandrel/sdk/eval$': '<rootDir>/libs/sdk/src/eval.ts',
        '^@spandrel/server/settings$': '<rootDir>/libs/server/src/settings.ts',
        '^@spandrel/plugin-api/testing$': '<rootDir>/libs/plugin-api/src/testing/index.ts',
        '^@spandrel/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts',
        ...TYPESCRIPT,
      },
      testMatch: [
        '<rootDir>/{apps,libs,plugins}/**/*.spec.ts',
        '<rootDir>/test/{bench,fake-provider,fuzz,support}/**/*.spec.ts',
      ],
    },
    {
      ...shared,
      ...postgres,
      displayName: 'system',
      testEnvironment: '<rootDir>/test/support/kept-environment.cjs',
      runtime: '<rootDir>/test/support/kept-runtime.cjs',
      moduleNameMapper: { ...packages, ...bundledLibs(), ...TYPESCRIPT },
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
    },
  ],
};
