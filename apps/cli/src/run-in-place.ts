import { pathToFileURL } from 'node:url';
import { appEntry } from './app-entry.js';

/** Turns this process into one app, as if its own entry had been started with the same flags. */
export async function runInPlace(app: 'server' | 'gateway'): Promise<void> {
  const entry = appEntry(app);
  process.argv.splice(1, 2, entry);
  await import(pathToFileURL(entry).href);
}
