import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Package {
  /** The folder with package.json, config/ and node_modules/. */
  root: string;
  /** The folder apps/, libs/ and plugins/ of the running code are in: the root itself, or its dist/. */
  code: string;
  version: string;
}

/** This installation, whether it runs from dist/ or from the sources. */
export const PACKAGE: Package = locatePackage(dirname(fileURLToPath(import.meta.url)));

/** A file that is loaded by its path, such as a thread. @param source its path here, as `apps/server/src/main.ts`. */
export const codeFile = (source: string): string =>
  join(PACKAGE.code, PACKAGE.code === PACKAGE.root ? source : source.replace(/\.ts$/, '.js'));

function locatePackage(here: string): Package {
  let root = here;
  while (!existsSync(join(root, 'package.json'))) root = dirname(root);
  const dist = join(root, 'dist');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { root, code: here.startsWith(dist + sep) ? dist : root, version };
}
