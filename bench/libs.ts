import { resolve } from 'node:path';

/** Libs of the program, loaded from their sources as scripts do. */
export const { importSource } = (await import(resolve('scripts/load-typescript.mjs'))) as {
  importSource(path: string): Promise<unknown>;
};

export const contract = (await importSource('libs/contract/src/index.ts')) as typeof import('@spandrel/contract');
export const http = (await importSource('libs/http/src/index.ts')) as typeof import('@spandrel/http');
export const kernel = (await importSource('libs/kernel/src/index.ts')) as typeof import('@spandrel/kernel');
export const storage = (await importSource('libs/storage/src/index.ts')) as typeof import('@spandrel/storage');
