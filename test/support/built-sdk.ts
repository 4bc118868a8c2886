import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from './spandrel.ts';

let built: Promise<string> | undefined;

/** The package of the SDK as it is published, without its types. @returns the path of its tracing entry. */
export const builtSdk = (): Promise<string> => (built ??= build());

/** By a process of its own: jest's modules have other classes than the bundler looks for. */
async function build(): Promise<string> {
  const folder = join(tempDir(), 'sdk');
  await promisify(execFile)(process.execPath, [resolve('scripts/build-sdk.mjs'), '--no-types', '--out', folder]);
  return join(folder, 'index.js');
}
