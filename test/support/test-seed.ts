/** Random tests take the same samples in every run, and others where `SPANDREL_TEST_SEED` says another number. */
export const TEST_SEED = Number(process.env['SPANDREL_TEST_SEED'] ?? 0);
