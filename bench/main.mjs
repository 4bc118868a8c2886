/** `npm run bench`; run-bench.ts says what it takes. It is a file of its own since an old Node could not say what it wants in TypeScript. */
import '../bin/require-node.mjs';

await import('./run-bench.ts');
