import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's chromium on the PATH; `undefined` where there is none. */
export const findChromium = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find((file) => existsSync(file));
