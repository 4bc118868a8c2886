import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const NAMES = ['recordings.db', 'recordings.db-wal'];
/** A copy that was made while the gateway wrote may be torn. */
const ATTEMPTS = 20;

/** The files in a spool directory. */
export const spoolFiles = (spoolDir: string): string[] =>
  readdirSync(spoolDir, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(spoolDir, name));

/** Everything in them, as one text. */
export const spoolText = (spoolDir: string): string =>
  spoolFiles(spoolDir)
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');

/** Ids of the calls that a gateway which starts now would recover, in their order. The gateway may run. */
export function keptCalls(spoolDir: string): string[] {
  for (let attempt = 1; ; attempt++) {
    try {
      return idsInCopy(spoolDir);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** A running gateway has its file for itself, so that a copy is read. */
function idsInCopy(spoolDir: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-spool-copy-'));
  try {
    const present = NAMES.filter((name) => existsSync(join(spoolDir, name)));
    if (present.length === 0) return [];
    for (const name of present) copyFileSync(join(spoolDir, name), join(folder, name));
    const database = new DatabaseSync(join(folder, NAMES[0]!));
    try {
      return (database.prepare('select id from recordings order by id').all() as { id: string }[]).map(({ id }) => id);
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
