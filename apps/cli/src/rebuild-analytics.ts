import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { analyticsFeature, rebuildRollups, type Recount } from '@spandrel/analytics';
import { StartError } from '@spandrel/kernel';
import { openDatabase } from '@spandrel/server';
import { databaseOf } from '@spandrel/storage';
import { commandLogger } from './command-logger.js';
import { commandSettings } from './command-settings.js';
import { count } from './count.js';
import { printFailure } from './print-failure.js';

/**
 * `spandrel analytics rebuild`: counts the roll-ups of all traces and spans anew. In local mode the server must be
 * stopped: the data directory is one process's at a time. Ends with 1 when it cannot begin.
 * @param args settings, as for the server.
 */
export async function rebuildAnalytics(args: readonly string[]): Promise<void> {
  try {
    const settings = commandSettings(args);
    const database = databaseOf(settings);
    if (database.dialect === 'sqlite' && !existsSync(database.file)) {
      throw new StartError([
        `${database.file}: there is no database whose analytics could be counted; check --data-dir`,
      ]);
    }
    const logger = commandLogger(settings);
    const storage = await openDatabase(settings, { features: [analyticsFeature], logger });
    try {
      report(await rebuildRollups(storage));
    } finally {
      await storage.close();
    }
  } catch (error) {
    printFailure(error);
  }
}

function report({ projects, traces, spans, differed }: Recount): void {
  const counted = [count(traces, 'trace'), count(spans, 'span'), count(projects, 'project')];
  process.stdout.write(`Counted the analytics anew: ${counted.join(', ')}.\n`);
  process.stdout.write(differed ? 'What was stored differed; it is replaced.\n' : 'What was stored was right.\n');
}
