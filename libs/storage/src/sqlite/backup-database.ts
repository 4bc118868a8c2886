import Database from 'better-sqlite3';

/** Pages copied between two turns of the event loop: 16 MiB. */
const PAGES_AT_ONCE = 1_024;

/**
 * Copies a SQLite database as it is at one moment, while programs write to it; its write-ahead log grows meanwhile.
 * @param target an empty file. @param onProgress called with the part done, 0 to 1.
 */
export async function backupDatabase(file: string, target: string, onProgress: (part: number) => void): Promise<void> {
  const source = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    // A copy whose source changes begins again; with a transaction open, the source is as it was for as long as it takes.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages);
        return PAGES_AT_ONCE;
      },
    });
    source.exec('commit');
    onProgress(1);
  } finally {
    source.close();
  }
}
