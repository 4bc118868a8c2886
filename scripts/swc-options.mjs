import { readFileSync } from 'node:fs';

/** The options that Nest's own command compiles with (`npm run build:nest`). */
const { jsc } = JSON.parse(readFileSync(new URL('../.swcrc', import.meta.url), 'utf8'));

/**
 * How TypeScript is compiled: by the build, by the tests, and where a script imports sources. Nest injects by the types of
 * a constructor's parameters, which `decoratorMetadata` keeps.
 */
export const SWC_OPTIONS = { swcrc: false, sourceMaps: true, module: { type: 'es6' }, jsc };
