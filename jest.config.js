import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SWC_OPTIONS } from './scripts/swc-options.mjs';
import { bundledLibs } from './test/runner/bundle-libs.mjs';
import { bundledPackages } from './test/runner/bundle-packages.mjs';

/**
 * Three projects: fast unit specs beside the code, whole-system tests in test/ that `npm test` runs, and what
 * `npm run test:full` runs on top of them. ESM throughout.
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
  testEnvironment: '<rootDir>/test/runner/environment.cjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...SWC_OPTIONS, sourceMaps: true }],
  },
  setupFiles: ['reflect-metadata'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/dist-nest', '<rootDir>/data'],
};

const system = {
  ...shared,
  globalSetup: '<rootDir>/test/support/start-shared-postgres.ts',
  globalTeardown: '<rootDir>/test/support/stop-shared-postgres.ts',
  testEnvironment: '<rootDir>/test/runner/kept-environment.cjs',
  runtime: '<rootDir>/test/runner/kept-runtime.cjs',
  moduleNameMapper: { ...packages, ...bundledLibs(), ...TYPESCRIPT },
};

export default {
  testSequencer: './test/runner/longest-first.cjs',
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
        '^@spandrel/sdk/api$': '<rootDir>/libs/sdk/src/api/index.ts',
        '^@spandrel/sdk/eval$': '<rootDir>/libs/sdk/src/eval.ts',
        '^@spandrel/server/settings$': '<rootDir>/libs/server/src/settings.ts',
        '^@spandrel/plugin-api/testing$': '<rootDir>/libs/plugin-api/src/testing/index.ts',
        '^@spandrel/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts',
        ...TYPESCRIPT,
      },
      testMatch: [
        '<rootDir>/{apps,libs,plugins}/**/*.spec.ts',
        '<rootDir>/{bench,test/{fake-provider,fuzz,prices,runner,support}}/**/*.spec.ts',
      ],
    },
    {
      ...system,
      displayName: 'system',
      globals: { TEST_TIER: 'quick' },
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts', '!**/*.full.e2e-spec.ts'],
    },
    {
      ...system,
      displayName: 'full',
      globals: { TEST_TIER: 'full' },
      testMatch: ['<rootDir>/test/**/*.full.e2e-spec.ts', ...filesOfBothTiers()],
    },
  ],
};

/** Files that describe both databases: SQLite in `npm test`, Postgres in `npm run test:full` (test/support/databases.ts). */
function filesOfBothTiers() {
  return globSync('test/**/*.e2e-spec.ts', { cwd: import.meta.dirname })
    .filter((file) => /\b(describeOn|for)BothDatabases\(/.test(readFileSync(join(import.meta.dirname, file), 'utf8')))
    .map((file) => `<rootDir>/${file}`);
}
