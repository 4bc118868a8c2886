import { existsSync } from 'node:fs';
import { createLogger, logLines, StartError, type Feature, type Logger, type Settings } from '@spandrel/kernel';
import { openDatabase } from '@spandrel/server';
import { databaseOf, type Storage } from '@spandrel/storage';

export const commandLogger = ({ core }: Settings): Logger =>
  createLogger(core.logLevel, 'cli', logLines(core.logFormat));

/** @throws StartError where local mode has no database yet. @param what of it is asked for: `whose keys could be rotated`. */
export function assertDatabase(settings: Settings, what: string): void {
  const database = databaseOf(settings);
  if (database.dialect === 'sqlite' && !existsSync(database.file)) {
    throw new StartError([`${database.file}: there is no database ${what}; check --data-dir`]);
  }
}

/** Opens the database of the settings, and closes it behind the work. @returns what the work returns. */
export async function withDatabase<Result>(
  settings: Settings,
  features: readonly Feature[],
  work: (storage: Storage, logger: Logger) => Promise<Result>,
): Promise<Result> {
  const logger = commandLogger(settings);
  const storage = await openDatabase(settings, { features, logger });
  try {
    return await work(storage, logger);
  } finally {
    await storage.close();
  }
}
