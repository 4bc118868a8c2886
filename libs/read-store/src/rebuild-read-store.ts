import { integer, shapeOf, type Storage } from '@spandrel/storage';
import { TraceLookups } from '@spandrel/tracing';
import { ReadStoreChangeStore } from './read-store-change.store.js';

const COUNT = shapeOf({ count: integer() });

/** Has the read store filled from the start by the servers. @returns how many projects are to be loaded. @throws Unavailable */
export async function rebuildReadStore(storage: Storage): Promise<number> {
  const changes = new ReadStoreChangeStore(storage, new TraceLookups(storage));
  return storage.write(async (tx) => {
    await changes.begin(tx, Date.now());
    const [row] = await tx.all(COUNT.query`select count(*) as count from read_store_change c where c.kind = 2`);
    return row!.count;
  });
}
