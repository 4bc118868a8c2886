import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLogger } from '@spandrel/kernel';
import { openStorage } from '@spandrel/storage';
import { MIGRATED_FOLDER } from './migrated-folder.ts';

/**
 * Makes a SQLite database without a row in it: a copy of one that the first suite of a run makes. To copy takes a hundredth of what
 * the migrations do; those run in the suites of `test/storage`.
 * @param file where there is none yet.
 */
export async function createMigratedFile(file: string): Promise<void> {
  const folder = process.env[MIGRATED_FOLDER];
  if (folder === undefined) return;
  if (!existsSync(folder)) await migrate(folder);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(folder, DATABASE), file);
}

const DATABASE = 'spandrel.db';

/** Several workers may begin at once: each puts a whole folder in place. */
async function migrate(folder: string): Promise<void> {
  const made = mkdtempSync(`${folder}-`);
  const storage = await openStorage(
    { dialect: 'sqlite', file: join(made, DATABASE) },
    { entities: [], logger: createLogger('silent', 'test') },
  );
  await storage.close();
  try {
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
