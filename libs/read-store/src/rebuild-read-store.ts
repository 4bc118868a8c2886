import type { Storage } from '@spandrel/storage';
import { TraceLookups } from '@spandrel/tracing';
import { ReadStoreChangeStore } from './read-store-change.store.js';
import { ReadStoreDayStore } from './read-store-day.store.js';

/** Has the read store filled from the start by the servers. @returns how many projects are to be loaded. @throws Unavailable; StartError when it alone has texts. */
export function rebuildReadStore(storage: Storage): Promise<number> {
  const changes = new ReadStoreChangeStore(storage, new TraceLookups(storage), new ReadStoreDayStore(storage));
  return storage.write((tx) => changes.begin(tx, Date.now()));
}
