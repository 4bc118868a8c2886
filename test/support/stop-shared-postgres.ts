/** Jest's globalTeardown. */
export { stop as default } from './start-shared-postgres.ts';
