import 'reflect-metadata';
import { formatCounted } from '@spandrel/contract/browser';
import { StartError } from '@spandrel/kernel';
import { readStoreFeature, rebuildReadStore } from '@spandrel/read-store';
import { ReadStoreSettings } from '../../../libs/read-store/src/read-store.settings.js';
import { assertDatabase, withDatabase } from './command-database.js';
import { commandSettings, printFailure } from './command-settings.js';

/** `spandrel read-store rebuild`: has the servers fill the read store from the start. */
export async function rebuildStore(args: readonly string[]): Promise<void> {
  try {
    const settings = commandSettings(args);
    assertDatabase(settings, 'whose read store could be filled');
    if (settings.of(ReadStoreSettings).plugin === null) throw new StartError(['read_store.plugin: names no store']);
    const projects = await withDatabase(settings, [readStoreFeature], (storage) => rebuildReadStore(storage));
    process.stdout.write(`The servers fill the read store from the start: ${formatCounted(projects, 'project')}.\n`);
  } catch (error) {
    printFailure(error);
  }
}
