import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Package {
  /** The folder with package.json, config/ and node_modules/. */
  root: string;
  /** The folder libs/ and plugins/ of the running code are in: the root itself, or its dist/. */
  code: string;
  version: string;
}

/** This installation, whether it runs from dist/ or from the sources. */
export const PACKAGE: Package = locatePackage(fileURLToPath(import.meta.url));

function locatePackage(here: string): Package {
  const code = dirname(dirname(dirname(dirname(here))));
  const root = existsSync(join(code, 'package.json')) ? code : dirname(code);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { root, code, version };
}
