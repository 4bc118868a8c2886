/** Whether tests take their time: `SPANDREL_TEST_THOROUGH=1`. */
export const THOROUGH = process.env['SPANDREL_TEST_THOROUGH'] === '1';

/**
 * How many samples, kills or stories a test takes: so many when it is to be {@link THOROUGH}, else a fifth of them, so that
 * the test command stays quick.
 */
export const repetitions = (all: number): number => (THOROUGH ? all : Math.ceil(all / 5));
