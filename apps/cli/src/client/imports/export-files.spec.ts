import { mkdtempSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { readRecords, type FileRecord } from './export-files.js';

const folder = mkdtempSync(join(tmpdir(), 'export-files-'));

async function read(name: string, content: string | Buffer): Promise<FileRecord[]> {
  const path = join(folder, name);
  writeFileSync(path, content);
  const records: FileRecord[] = [];
  for await (const record of readRecords(path)) records.push(record);
  return records;
}

/** What a descriptor of this process is of; none where it is closed by now. */
function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

/** Whether this process has a file open. */
const isOpen = (path: string): boolean => readdirSync('/proc/self/fd').some((fd) => linkOf(fd) === path);

describe('readRecords', () => {
  it.each([
    ['a list', 'list.json', '[{"a":1},\n{"a":2}]'],
    ['a packed list whose name does not say so', 'packed.json', gzipSync('[{"a":1},\n{"a":2}]')],
    ['JSON lines', 'lines.jsonl', '{"a":1}\n{"a":2}\n\n'],
    ['JSON lines with another name', 'lines.json', '{"a":1}\n{"a":2}\n'],
    ['packed JSON lines', 'lines.ndjson.gz', gzipSync('{"a":1}\n{"a":2}')],
    ['a byte order mark', 'mark.json', '\uFEFF[{"a":1},\n{"a":2}]'],
  ])('reads %s', async (_what, name, content) => {
    expect(await read(name, content)).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 2, value: { a: 2 } },
    ]);
  });

  it.each<[string, string, string | Buffer]>([
    ['that is left after its first record', 'left.jsonl', '{"a":1}\n'.repeat(50_000)],
    [
      'that is no UTF-8',
      'utf16.json',
      Buffer.concat([Buffer.from('{"a":"\xff', 'latin1'), Buffer.alloc(1_000_000, 65)]),
    ],
    ['that is cut', 'cut.jsonl.gz', gzipSync('{"a":1}\n'.repeat(50_000)).subarray(0, 60)],
  ])('closes a file %s', async (_what, name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    for await (const _record of readRecords(path)) break;
    while (isOpen(path)) await new Promise((done) => setImmediate(done));
  });

  it('closes what cannot be read at all', async () => {
    const path = mkdtempSync(join(folder, 'folder-'));
    expect(await readRecords(path).next()).toMatchObject({ value: { line: 1, fault: 'cannot be read (EISDIR)' } });
    expect(isOpen(path)).toBe(false);
  });

  it('reads a file that is one object, over many lines or one', async () => {
    for (const indent of [0, 2]) {
      const text = JSON.stringify({ a: 'x'.repeat(200_000) }, undefined, indent);
      expect(await read('one.json', text)).toEqual([{ line: 1, value: JSON.parse(text) }]);
    }
  });

  it('reads JSON lines with another name whose lines are longer than what is read at once', async () => {
    for (const indent of ['', '\n \n']) {
      const content = indent + [1, 2].map((a) => JSON.stringify({ a, text: 'x'.repeat(200_000) })).join('\n');
      expect(await read('long.json', content)).toMatchObject([
        { line: indent === '' ? 1 : 3, value: { a: 1 } },
        { line: indent === '' ? 2 : 4, value: { a: 2 } },
      ]);
    }
  });

  it('passes over blanks without searching them again and again, and counts their lines', async () => {
    const lines = 100_000;
    const packed = gzipSync(`${`${' '.repeat(300)}\n`.repeat(lines)}{"a":1}`);
    for (const name of ['blanks.json.gz', 'blanks.jsonl.gz']) {
      expect(await read(name, packed)).toEqual([{ line: lines + 1, value: { a: 1 } }]);
    }
  });

  it('ends within a file when its signal is aborted', async () => {
    const path = join(folder, 'endless.json.gz');
    writeFileSync(path, gzipSync(' '.repeat(64 * 1024 * 1024)));
    const stop = new AbortController();
    const first = readRecords(path, stop.signal).next();
    stop.abort(new Error('interrupted'));
    await expect(first).rejects.toThrow('interrupted');
  });

  it('keeps every digit of numbers', async () => {
    const [record] = await read('digits.jsonl', '{"n":12345678901234567890.10}\n');
    expect(JSON.stringify(record)).toContain('12345678901234567890.10');
  });

  it('goes on behind what is no JSON, and says where it stands', async () => {
    expect(await read('bad.jsonl', '{"a":1}\nno\n{"a":3}\n')).toMatchObject([
      { line: 1, value: { a: 1 } },
      { line: 2, fault: expect.stringMatching(/^not valid JSON at character 1/) },
      { line: 3, value: { a: 3 } },
    ]);
    expect(await read('bad.json', '[{"a":1},{no},{"a":3}')).toMatchObject([
      { value: { a: 1 } },
      { fault: expect.stringMatching(/^not valid JSON/) },
      { line: 1, fault: 'the file ends before its array does; nothing behind it is read' },
    ]);
  });

  it.each([
    ['empty', '', 'the file is empty; nothing behind it is read'],
    ['blank', ' \n\n ', 'the file is empty; nothing behind it is read'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'the text is not valid UTF-8; nothing behind it is read'],
    ['packed and cut off', gzipSync('[{"a":1}]').subarray(0, 12), 'cannot be read (Z_BUF_ERROR)'],
  ])('says of a file that it is %s', async (_what, content, fault) => {
    expect(await read('odd.json', content)).toEqual([{ line: 1, fault }]);
  });
});
