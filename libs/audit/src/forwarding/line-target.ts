import { open } from 'node:fs/promises';

/** What lines of the audit log are written to. Resolves once they are there. */
export type LineTarget = (lines: string) => Promise<void>;

/**
 * The target of a setting: `stdout`, or the path of a file. A file is opened anew for each piece, so that programs which
 * rotate logs by renaming need tell nobody; it is on the disk when the promise resolves.
 */
export const lineTarget = (log: string): LineTarget =>
  log === 'stdout' ? toStandardOutput : (text) => append(log, text);

/** Standard output is bounded and never waited for: what nobody reads in time is dropped and counted there. */
function toStandardOutput(lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
  });
}

/** Mode of a file that is made: its owner writes, its group reads. */
const MODE = 0o640;

async function append(path: string, lines: string): Promise<void> {
  const file = await open(path, 'a', MODE);
  try {
    await file.appendFile(lines);
    await file.datasync();
  } finally {
    await file.close();
  }
}
