import { resolve } from 'node:path';

/** The built libs, as the started program uses them. */
export const contract = (await import(
  resolve('dist/libs/contract/src/index.js')
)) as typeof import('@spandrel/contract');
export const kernel = (await import(resolve('dist/libs/kernel/src/index.js'))) as typeof import('@spandrel/kernel');
export const storage = (await import(resolve('dist/libs/storage/src/index.js'))) as typeof import('@spandrel/storage');
