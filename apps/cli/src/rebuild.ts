import 'reflect-metadata';
import { analyticsFeature, rebuildRollups, type Recount } from '@spandrel/analytics';
import { formatCounted } from '@spandrel/contract/browser';
import { StartError } from '@spandrel/kernel';
import { readStoreFeature, rebuildReadStore } from '@spandrel/read-store';
import { ReadStoreSettings } from '../../../libs/read-store/src/read-store.settings.js';
import { assertDatabase, withDatabase } from './command-database.js';
import { commandSettings, printFailure } from './command-settings.js';

/** `spandrel analytics rebuild`: counts the roll-ups again. Ends with 1 when it cannot begin: local mode has one process. */
export async function rebuildAnalytics(args: readonly string[]): Promise<void> {
  try {
    const settings = commandSettings(args);
    assertDatabase(settings, 'whose analytics could be counted');
    await withDatabase(settings, [analyticsFeature], async (storage) => report(await rebuildRollups(storage)));
  } catch (error) {
    printFailure(error);
  }
}

function report({ projects, traces, spans, differed }: Recount): void {
  const counted = [formatCounted(traces, 'trace'), formatCounted(spans, 'span'), formatCounted(projects, 'project')];
  process.stdout.write(`Counted the analytics again: ${counted.join(', ')}.\n`);
  process.stdout.write(
    differed ? 'The stored values differed and have been replaced.\n' : 'The stored values were correct.\n',
  );
}

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
