/**
 * Minifies a module with all that it imports, as an application's bundler does: `minified.mjs FILE` prints
 * `{ code, rest }`, what is loaded with the module, and what is loaded later, by `import()`.
 */
import { rolldown } from 'rolldown';

const bundle = await rolldown({ input: process.argv[2], platform: 'neutral', external: ['node:async_hooks'] });
const { output } = await bundle.generate({ format: 'esm', minify: true });
const loaded = new Set(output.filter(({ isEntry }) => isEntry));
for (const { imports } of loaded) for (const file of output) if (imports.includes(file.fileName)) loaded.add(file);
const codeOf = (files) => files.map(({ code }) => code).join('');
const rest = output.filter((file) => !loaded.has(file));
process.stdout.write(JSON.stringify({ code: codeOf([...loaded]), rest: codeOf(rest) }));
