import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { chooseFormat, openContent } from './import-export.js';

it('the format is what was said, else what the name says, else that of exports', () => {
  expect([
    chooseFormat('a.csv', undefined),
    chooseFormat('A.NDJSON', undefined),
    chooseFormat('a.b/c.json', undefined),
    chooseFormat('a.csv', 'json'),
    chooseFormat('-', undefined),
    chooseFormat('-', 'csv'),
  ]).toEqual(['csv', 'jsonl', 'json', 'json', 'jsonl', 'csv']);
  expect(() => chooseFormat('data.txt', undefined)).toThrow(/--format jsonl, json, csv/);
});

describe('the content of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'content-'));
  const file = join(folder, 'rows.csv');
  writeFileSync(file, 'input\nä\n');
  const open = (name: string) => openContent(name, Readable.from([]));

  it('has its length, so that it can be sent and refused like any other body', async () => {
    const content = await open(file);
    expect(content).toMatchObject({ size: 9 });
    expect(await new Response(content).text()).toBe('input\nä\n');
  });

  it('is opened before anything is asked of a server', async () => {
    await expect(open(join(folder, 'none'))).rejects.toThrow('none: cannot be read (ENOENT)');
    await expect(open(folder)).rejects.toThrow('is a folder, not a file');
    chmodSync(file, 0);
    if (process.getuid?.() !== 0) await expect(open(file)).rejects.toThrow('rows.csv: cannot be read (EACCES)');
  });
});
