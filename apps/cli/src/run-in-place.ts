import { appEntry } from './app-entry.js';

/** Turns this process into one app, as if its own entry had been started with the same flags. */
export async function runInPlace(app: 'server' | 'gateway'): Promise<void> {
  process.argv.splice(1, 2, appEntry(app).pathname);
  await import(appEntry(app).href);
}
