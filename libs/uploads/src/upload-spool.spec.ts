import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CoreSettings } from '@spandrel/kernel';
import { UploadSpool, type SpooledFile } from './upload-spool.js';

let dataDir: string;
let spool: UploadSpool;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'spandrel-upload-spool-'));
  spool = new UploadSpool({ mode: 'local', dataDir } as CoreSettings);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const UPLOAD = Buffer.from('a line that nobody else may read\n'.repeat(20_000));

/** All of a file; a chunk is there until the next one is asked for. */
async function bytesOf(file: SpooledFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** What the disk holds of files without a name, by the descriptors of this process. */
const onDisk = (): Buffer[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    const path = `/proc/self/fd/${fd}`;
    try {
      return readlinkSync(path).startsWith(dataDir) ? readFileSync(path) : [];
    } catch {
      return [];
    }
  });

describe('the spool of uploads', () => {
  it.each([false, true])('gives back what came, again and again (sealed: %s)', async (sealed) => {
    const file = await spool.receive(Readable.from([UPLOAD.subarray(0, 7), UPLOAD.subarray(7)]), 1e7, sealed);
    for (let time = 0; time < 2; time++) expect((await bytesOf(file)).equals(UPLOAD)).toBe(true);
    await file.close();
  });

  (process.platform === 'linux' ? it : it.skip)('holds a sealed file so that nobody else can read it', async () => {
    for (const sealed of [false, true]) {
      const file = await spool.receive(Readable.from([UPLOAD]), 1e7, sealed);
      const [kept] = onDisk();
      expect(kept!.length).toBe(UPLOAD.length);
      expect(kept!.includes('nobody else')).toBe(!sealed);
      await file.close();
    }
  });
});
