import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sourceStack, createLogger, prettyLine } from './logger.js';
import { anyCharacter } from '../../../../test/support/any-character.js';

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

/** What the logger writes, for people. */
function pretty(write: (logger: ReturnType<typeof createLogger>) => void, hasColors = false): string {
  let text = '';
  write(createLogger('trace', 'server', { write: (line) => void (text += prettyLine(line, hasColors)) }));
  return text;
}

describe('prettyLine', () => {
  it('shows time, level, program, what happened, and the rest by name', () => {
    const text = pretty((logger) =>
      logger.warn({ part: 'http', file: '/a b', more: { n: 1 } }, 'did not stop in time'),
    );
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN  server  did not stop in time part=http file="\/a b" more=\{"n":1\}\n$/,
    );
  });

  it('shows the stack of an error on lines of its own, once', () => {
    const text = pretty((logger) => logger.error({ err: new RangeError('no such thing') }, 'it failed'));
    const [first, second, third] = text.split('\n');
    expect(first).toMatch(/ERROR server  it failed$/);
    expect(second).toBe('    RangeError: no such thing');
    expect(third).toMatch(/^ {8}at /);
    expect(text.match(/no such thing/g)).toHaveLength(1);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('shows what an error that is no Error has, and members of its own', () => {
    expect(pretty((logger) => logger.error({ err: 'plain' }, 'x'))).toContain('\n    "plain"\n');
    const coded = Object.assign(new Error('no'), { code: 'ENOSPC' });
    expect(pretty((logger) => logger.error({ err: coded }, 'x'))).toContain('\n    {"code":"ENOSPC"}\n');
  });

  it('shows requests', () => {
    const line = { request_id: 'r1', method: 'GET', route: '/api/traces', status: 200, duration_ms: 1.5 };
    const text = pretty((logger) => logger.info(line, 'request'));
    expect(text).toMatch(
      /INFO {2}server {2}request request_id=r1 method=GET route=\/api\/traces status=200 duration_ms=1\.5\n$/,
    );
  });

  it('colours level and names where it may', () => {
    expect(pretty((logger) => logger.error({ n: 1 }, 'x'), true)).toContain('\u001b[31mERROR\u001b[0m');
    expect(pretty((logger) => logger.error({ n: 1 }, 'x'))).not.toContain('\u001b');
  });

  it('passes no control on to the terminal, and no second line but those of a stack', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, (message, key, value) => {
        const written = pretty((logger) => logger.info({ [`k${key}`]: value }, message));
        expect(written.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
        const failed = pretty((logger) => logger.info({ err: new Error(value) }, message));
        expect(failed.replaceAll(/\n {4}/g, '').slice(0, -1)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it('leaves what is no object of JSON, without its controls', () => {
    expect(prettyLine('spandrel: warning: \u001b[2J\n', true)).toBe('spandrel: warning: \\u001b[2J\n');
    expect(prettyLine('7\n', true)).toBe('7\n');
  });
});
