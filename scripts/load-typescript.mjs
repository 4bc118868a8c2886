// Looked up when it is called, so that an old Node loads this file and its importer says what is wrong.
import module from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { SWC_OPTIONS } from './swc-options.mjs';

const root = new URL('../', import.meta.url);

/** Lets a script import the sources as they are: aliases, `.js` for `.ts`, decorators. */
module.registerHooks({
  resolve(specifier, context, next) {
    const alias = /^@spandrel\/([a-z-]+)(?:\/([a-z-]+))?$/.exec(specifier);
    if (alias) return { url: new URL(`libs/${alias[1]}/src/${alias[2] ?? 'index'}.ts`, root).href, shortCircuit: true };
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(source)) return { url: source.href, shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
    const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
      ...SWC_OPTIONS,
      filename: fileURLToPath(url),
      sourceMaps: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});

export const importSource = (path) => import(pathToFileURL(fileURLToPath(new URL(path, root))).href);
