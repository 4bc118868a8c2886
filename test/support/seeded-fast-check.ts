/** What tests get as `fast-check` (jest.config.js): the package with the seed of this run. A failure prints it. */
import fc from '../../node_modules/fast-check/lib/fast-check.js';
import { TEST_SEED } from './test-seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
