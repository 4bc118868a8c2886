import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variable that names the folder of a run's documents. */
const FOLDER = 'SPANDREL_TEST_DOCUMENTS';

/**
 * OpenAPI documents of one run of tests, for all of its suites: a server takes a tenth of a second to make its own, and
 * a run starts hundreds of servers.
 */
export const sharedDocuments = {
  /** Begins a run, before its suites. */
  open(): void {
    process.env[FOLDER] = mkdtempSync(join(tmpdir(), 'spandrel-documents-'));
  },

  /** Ends a run, after its suites. */
  close(): void {
    rmSync(process.env[FOLDER]!, { recursive: true, force: true });
  },

  /**
   * @param kind names servers that say the same; the name of a file.
   * @param ask fetches what one of them says, `undefined` when it is gone; called when nobody asked in this run, and
   *   always outside of a run.
   * @returns the JSON, or `undefined` when `ask` does.
   */
  async take(kind: string, ask: () => Promise<string | undefined>): Promise<string | undefined> {
    const folder = process.env[FOLDER];
    if (folder === undefined) return ask();
    const path = join(folder, `${kind}.json`);
    try {
      return readFileSync(path, 'utf8');
    } catch {
      const text = await ask();
      if (text !== undefined) writeWhole(path, text);
      return text;
    }
  },
};

/** Others see all of the file, or none. */
function writeWhole(path: string, text: string): void {
  const beside = `${path}.${randomUUID()}`;
  writeFileSync(beside, text);
  renameSync(beside, path);
}
