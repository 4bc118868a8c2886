import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { Endpoint, Provider } from '@spandrel/plugin-api';
import { CallReader } from '../recording/call-reader.js';
import { ProviderTable } from '../target/provider-table.js';
import { CallFileRecovery } from './call-file-recovery.js';
import { callFile } from './fixtures/call-file.js';
import { FrameType } from './journal-frames.js';
import type { RecoveryParts } from './recovery.js';
import { SpoolDirectory } from './spool-directory.js';
import type { SpoolItem } from './spool-item.js';

const silent = createLogger('silent', 'test');
let folder: string;
let counted: { quarantined: number; removed: number };
let lines: [level: string, text: string][];
let items: SpoolItem[];
let directory: SpoolDirectory | undefined;
let recovery: CallFileRecovery | undefined;

const logger = new Proxy(silent, {
  get: (target, level: 'info' | 'warn' | 'error') =>
    ['info', 'warn', 'error'].includes(level)
      ? (_fields: unknown, text?: string) => lines.push([level, text ?? String(_fields)])
      : target[level],
});

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'spandrel-recovery-'));
  counted = { quarantined: 0, removed: 0 };
  lines = [];
  items = [];
});
afterEach(async () => {
  await recovery?.stop();
  await directory?.close();
  recovery = undefined;
  directory = undefined;
  fs.rmSync(folder, { recursive: true, force: true });
});

/** The file that a gateway before ADR 0036 kept for a call whose recording was finished. */
function leave(id: string, change: (bytes: Buffer) => Buffer = (bytes) => bytes): string {
  const file = path.join(folder, `${id}.call`);
  const facts = {
    id,
    traceId: 'trace',
    parentId: null,
    trace: {},
    provider: 'acme',
    wire: { provider: 'acme', method: 'POST', path: '/x' },
    startedAt: 1_790_000_000_000,
    startedTick: 1_000,
    capture: { mode: 'full' },
    requestEncoding: null,
  };
  const bytes = callFile([
    { type: FrameType.Facts, payload: Buffer.from(JSON.stringify(facts)) },
    { type: FrameType.Finished, payload: Buffer.from(JSON.stringify(['{}', `{"id":"${id}"}`])) },
  ]);
  fs.writeFileSync(file, change(bytes));
  return file;
}

async function recover(more: Partial<RecoveryParts> = {}): Promise<void> {
  const observer = {
    journalError: () => undefined,
    quarantined: () => counted.quarantined++,
    quarantineRemoved: () => counted.removed++,
  };
  directory = await SpoolDirectory.open(folder, { contentMax: 1_000, sync: 'never' }, silent, observer);
  recovery = new CallFileRecovery({
    directory,
    spool: { add: (item) => (items.push(item), null), all: () => [] },
    delivery: { wakeAll: () => undefined },
    providers: new ProviderTable([], silent),
    seal: null,
    rules: { of: () => ({ kind: 'known', masking: null }) },
    reader: new CallReader(
      { plugins: null, logger, onMaskerFailed: () => undefined },
      { hereBytesMax: 1_000, readMs: 1_000 },
    ),
    bytesMax: 1_000_000,
    logger,
    read: (file) => fs.readFileSync(file),
    retryMs: 1,
    retryMaxMs: 5,
    ...more,
  });
  await recovery.start();
}
const ids = (): string[] => items.map(({ id }) => id);
const calls = (): string[] => fs.readdirSync(folder).filter((name) => name.endsWith('.call'));
const inQuarantine = (): string[] =>
  fs.existsSync(path.join(folder, 'quarantine')) ? fs.readdirSync(path.join(folder, 'quarantine')) : [];
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((done) => setTimeout(done, 1));
};
const refusal = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code, syscall: 'open' });

describe('recovering a file that cannot be read right now', () => {
  it.each(['EMFILE', 'ENFILE', 'EIO', 'EACCES', 'EPERM', 'ENOMEM', 'ESTALE', 'EAGAIN'])(
    '(%s) leaves it, goes on with the others, and tries again until it can be',
    async (code) => {
      const file = leave('a');
      leave('b');
      const bytes = fs.readFileSync(file);
      let refusals = 4;
      await recover({
        read: (path) => {
          if (path === file && refusals-- > 0) throw refusal(code);
          return fs.readFileSync(path);
        },
      });
      expect([ids(), recovery!.waiting]).toEqual([['b'], 1]);
      expect(fs.readFileSync(file)).toEqual(bytes);
      await until(() => items.length === 2);
      expect([ids(), recovery!.waiting, refusals]).toEqual([['b', 'a'], 0, -1]);
      expect([inQuarantine(), counted.quarantined]).toEqual([[], 0]);
      expect(lines.filter(([level]) => level === 'error')).toEqual([
        ['error', expect.stringContaining('cannot be read right now')],
      ]);
      await until(() => lines.some(([, text]) => text.includes('has been read')));
      directory!.remove('a');
      await until(() => !calls().includes('a.call'));
    },
  );

  it('holds with a process that really has no file descriptor left', async () => {
    const file = leave('a');
    const limit = (value: string): void => void execFileSync('prlimit', [`--pid=${process.pid}`, `--nofile=${value}:`]);
    const before = fs.readFileSync('/proc/self/limits', 'utf8').match(/^Max open files\s+(\d+)/m)![1]!;
    const open: number[] = [];
    const codes: unknown[] = [];
    let full = true;
    const read = (path: string): Buffer => {
      if (!full) return fs.readFileSync(path);
      // Some are left for what sets the limit back.
      limit(String(Math.max(...fs.readdirSync('/proc/self/fd').map(Number)) + 24));
      try {
        for (;;) open.push(fs.openSync('/dev/null', 'r'));
      } catch (error) {
        codes.push((error as NodeJS.ErrnoException).code);
      }
      try {
        return fs.readFileSync(path);
      } finally {
        open.splice(0).forEach((fd) => fs.closeSync(fd));
        limit(before);
        full = false;
      }
    };
    await recover({ read });
    expect([codes, ids(), fs.existsSync(file)]).toEqual([['EMFILE'], [], true]);
    await until(() => items.length === 1);
    expect(ids()).toEqual(['a']);
  });

  it('leaves every file when it is stopped', async () => {
    leave('a');
    await recover({
      read: () => {
        throw refusal('EIO');
      },
    });
    await recovery!.stop();
    expect([calls(), ids()]).toEqual([['a.call'], []]);
  });

  it('forgets a file that somebody has taken away', async () => {
    leave('a');
    await recover({
      read: () => {
        throw refusal('ENOENT');
      },
    });
    expect([recovery!.waiting, lines]).toEqual([0, []]);
  });
});

describe('recovering a file that is damaged', () => {
  it.each([
    ['its first bytes are others', (bytes: Buffer) => Buffer.concat([Buffer.from('garbage'), bytes])],
    ['it is all zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['it is torn in its first frame', (bytes: Buffer) => bytes.subarray(0, 20)],
  ])('moves it to quarantine: %s', async (_how, change) => {
    const file = leave('a', change);
    const bytes = fs.readFileSync(file);
    leave('b', change);
    leave('c');
    await recover();
    expect([ids(), calls(), inQuarantine(), counted.quarantined]).toEqual([['c'], ['c.call'], ['a.call', 'b.call'], 2]);
    expect(fs.readFileSync(path.join(folder, 'quarantine', 'a.call'))).toEqual(bytes);
    expect(lines.filter(([level]) => level === 'error')).toEqual([['error', expect.stringContaining('is damaged')]]);
  });

  it('delivers what is good before the damage, and moves the file when that is done', async () => {
    leave('a', (bytes) => Buffer.concat([bytes, Buffer.from('damage')]));
    const bytes = fs.readFileSync(path.join(folder, 'a.call'));
    await recover();
    // A crash now begins again with the same file.
    expect([ids(), calls(), counted.quarantined]).toEqual([['a'], ['a.call'], 0]);
    directory!.remove('a');
    expect([calls(), inQuarantine(), counted.quarantined]).toEqual([[], ['a.call'], 1]);
    expect(fs.readFileSync(path.join(folder, 'quarantine', 'a.call'))).toEqual(bytes);
    expect(lines.filter(([level]) => level === 'error')).toEqual([['error', expect.stringContaining('is damaged')]]);
  });

  it('leaves it where it is when it cannot be moved, and tries again', async () => {
    leave('a', () => Buffer.from('garbage'));
    const blocker = path.join(folder, 'quarantine');
    fs.writeFileSync(blocker, '');
    await recover();
    expect([calls(), recovery!.waiting]).toEqual([['a.call'], 1]);
    fs.rmSync(blocker);
    await until(() => calls().length === 0);
    expect([inQuarantine(), counted.quarantined]).toEqual([['a.call'], 1]);
  });

  it('removes a file in which nothing was ever written', async () => {
    leave('a', () => Buffer.alloc(0));
    await recover();
    expect([calls(), inQuarantine(), lines]).toEqual([[], [], []]);
  });
});

describe('a call that only its plugin can read', () => {
  /** The file of a call whose recording was not finished. */
  const leaveUnfinished = (id: string): string => leave(id, (bytes) => bytes.subarray(0, 9 + bytes.readUInt32LE(0)));
  const fails = (): never => {
    throw new Error('broken on purpose');
  };
  const pluginWith = (endpoint: () => Partial<Endpoint>): ProviderTable => {
    const provider = { defaultBaseUrl: null, hosts: [], recognises: () => 'no', endpoint } as unknown as Provider;
    return new ProviderTable([{ name: 'acme', extension: provider }], silent);
  };

  it('waits for the next start when its provider is not loaded', async () => {
    leaveUnfinished('a');
    await recover();
    expect([calls(), inQuarantine(), recovery!.waiting]).toEqual([['a.call'], [], 1]);
    expect(lines).toEqual([['warn', expect.stringContaining('not loaded')]]);
  });

  it('waits as well when its plugin throws instead of knowing the call', async () => {
    leaveUnfinished('a');
    await recover({ providers: pluginWith(fails) });
    expect([calls(), inQuarantine(), recovery!.waiting]).toEqual([['a.call'], [], 1]);
  });

  it('is recovered without the details that its plugin throws at', async () => {
    leaveUnfinished('a');
    await recover({
      providers: pluginWith(() => ({
        name: 'x',
        framing: 'sse',
        readRequest: fails,
        readAnswer: fails,
        readStream: fails,
      })),
    });
    expect(ids()).toEqual(['a']);
    expect(JSON.parse(items[0]!.span)).toMatchObject({ id: 'a', status: { failed: { error: 'gateway stopped' } } });
  });
});
