import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sourceStack } from './source-stack.js';

let folder: string;
const url = (name: string): string => pathToFileURL(join(folder, name)).href;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-stack-'));
  // The first place of the file comes from the third line of the source, behind four characters.
  const map = { version: 3, sources: ['src/start-run.ts'], names: [], mappings: 'AAEI' };
  writeFileSync(join(folder, 'main.js.map'), JSON.stringify(map));
  writeFileSync(join(folder, 'broken.js.map'), '{');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('sourceStack', () => {
  it('names the sources of a bundled file', () => {
    const stack = `Error: no\n    at StartRun.execute (${url('main.js')}:1:1)\n    at async ${url('main.js')}:1:7`;
    const source = `${url('src/start-run.ts')}:3:5`;
    expect(sourceStack(stack)).toBe(`Error: no\n    at StartRun.execute (${source})\n    at async ${source}`);
  });

  it('leaves what has no map, or none that can be read', () => {
    const stack = `Error: no\n    at run (${url('broken.js')}:1:1)\n    at ${url('other.js')}:3:4\n    at node:events:1:1`;
    expect(sourceStack(stack)).toBe(stack);
  });
});
