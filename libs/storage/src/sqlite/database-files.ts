import { open, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackendSize } from '../backend.js';

/** What one check writes: more than one page of the database. */
const PROBE = Buffer.alloc(64 * 1024, 'spandrel');

/** The size of a database's files, and what its disk still takes for this user. */
export async function sizeOnDisk(file: string): Promise<BackendSize> {
  const [database, wal, disk] = await Promise.all([stat(file), stat(`${file}-wal`), statfs(dirname(file))]);
  return { parts: { database: database.size, wal: wal.size }, diskFree: disk.bavail * disk.bsize };
}

/** Writes a small file beside the database to the disk itself, and removes it. @throws when the disk does not take it. */
export async function checkDisk(file: string): Promise<void> {
  const path = join(dirname(file), '.probe');
  const probe = await open(path, 'w', 0o600);
  try {
    await probe.writeFile(PROBE);
    await probe.datasync();
  } finally {
    await probe.close();
    await unlink(path);
  }
}
