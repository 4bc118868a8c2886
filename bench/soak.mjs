/** `npm run soak`; soak/run-soak.ts says what it takes. It is a file of its own since an old Node could not say what it wants in TypeScript. */
import '../bin/require-node.mjs';

await import('./soak/run-soak.ts');
