import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { Endpoint, Provider } from '@spandrel/plugin-api';
import fc from 'fast-check';
import { CallReader } from '../recording/call-reader.js';
import { ProviderTable } from '../target/provider-table.js';
import { FrameType } from './journal-frames.js';
import { JournalRecovery } from './journal-recovery.js';
import type { RecoveryParts } from './recovery.js';
import { decodeSegment } from './segment-frames.js';
import { Segment } from './segment.js';
import { SharedJournal } from './shared-journal.js';
import { SpoolDirectory } from './spool-directory.js';
import type { SpoolItem } from './spool-item.js';

const silent = createLogger('silent', 'test');
let folder: string;
let lines: [level: string, text: string][];
let items: SpoolItem[];
let quarantined: number;
let directory: SpoolDirectory | undefined;
let recovery: JournalRecovery | undefined;

const logger = new Proxy(silent, {
  get: (target, level: 'info' | 'warn' | 'error') =>
    ['info', 'warn', 'error'].includes(level)
      ? (_fields: unknown, text?: string) => lines.push([level, text ?? String(_fields)])
      : target[level],
});

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'spandrel-journal-recovery-'));
  lines = [];
  items = [];
  quarantined = 0;
});
afterEach(async () => {
  await stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const facts = (id: string): string =>
  JSON.stringify({
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
  });
const fails = (error: unknown): never => {
  throw error;
};

const pluginWith = (endpoint: () => Partial<Endpoint>): ProviderTable => {
  const provider = { defaultBaseUrl: null, hosts: [], recognises: () => 'no', endpoint } as unknown as Provider;
  return new ProviderTable([{ name: 'acme', extension: provider }], silent);
};

/** A run of a gateway that ends; its segments follow those of others. @returns its file. */
async function run(tell: (journal: SharedJournal) => void): Promise<string> {
  const left = calls().flatMap((file) => Segment.ofFile(file) ?? []);
  const journal = new SharedJournal(
    folder,
    'never',
    { onJournalError: fails, onSyncError: fails, quarantine: fails },
    left,
  );
  tell(journal);
  await journal.close();
  return calls().at(-1)!;
}
const begin = (journal: SharedJournal, id: string): ReturnType<SharedJournal['begin']> => {
  const call = journal.begin(id);
  journal.append(call, FrameType.Facts, facts(id), true);
  return call;
};
const finish = (journal: SharedJournal, id: string): void =>
  journal.append(begin(journal, id), FrameType.Finished, `{}\n{"id":"${id}"}`, false);
const leave = (...ids: string[]): Promise<string> => run((journal) => ids.forEach((id) => finish(journal, id)));

async function recover(more: Partial<RecoveryParts> = {}): Promise<void> {
  const observer = {
    journalError: () => undefined,
    quarantined: () => quarantined++,
    quarantineRemoved: () => undefined,
  };
  directory = await SpoolDirectory.open(folder, { contentMax: 1_000, sync: 'never' }, logger, observer);
  recovery = new JournalRecovery({
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
async function stop(): Promise<void> {
  await recovery?.stop();
  await directory?.close();
  recovery = undefined;
  directory = undefined;
}
const ids = (): string[] => items.map(({ id }) => id);
const calls = (): string[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.journal'))
    .sort()
    .map((name) => path.join(folder, name));
const inQuarantine = (): string[] =>
  fs.existsSync(path.join(folder, 'quarantine')) ? fs.readdirSync(path.join(folder, 'quarantine')) : [];
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((done) => setTimeout(done, 1));
};
const refusal = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code, syscall: 'open' });
const delivered = (...of: string[]): void => of.forEach((id) => directory!.remove(id));
const change = (file: string, by: (bytes: Buffer) => Buffer): Buffer => {
  const bytes = by(fs.readFileSync(file));
  fs.writeFileSync(file, bytes);
  return bytes;
};
const errors = (): string[] => lines.filter(([level]) => level === 'error').map(([, text]) => text);

describe('recovering the journal', () => {
  it('takes back what was not delivered, of several runs, and its files go when it is', async () => {
    await leave('a', 'b');
    await run((journal) => {
      finish(journal, 'c');
      finish(journal, 'd');
      journal.done('c');
    });
    await recover();
    expect(ids()).toEqual(['a', 'b', 'd']);
    delivered('a', 'b');
    await until(() => calls().length < 3);
    delivered('d');
    await until(() => calls().length === 0);
    expect(lines.filter(([level]) => level !== 'info')).toEqual([]);
  });

  it('takes back at the next start what was not delivered at this one', async () => {
    await leave('a', 'b', 'c');
    await recover();
    delivered('b');
    await stop();
    items = [];
    await recover();
    expect(ids()).toEqual(['a', 'c']);
  });

  it('gives a call back whose frames stand in two files in any order, and twice', async () => {
    const first = await run((journal) => {
      const call = begin(journal, 'a');
      journal.append(
        call,
        FrameType.Running,
        '{"running":1}\n{"id":"a","metadata":{},"kind":{},"started_at":"then"}',
        false,
      );
    });
    // A crash while it was carried leaves the original, and a copy in a later file.
    const { marker } = Segment.ofFile(first)!;
    const other = await leave('b');
    const copy = fs.readFileSync(first);
    const { marker: later } = Segment.ofFile(other)!;
    for (const { start } of decodeSegment(copy, marker).frames) later.copy(copy, start);
    fs.appendFileSync(other, copy);
    await recover();
    expect(ids().sort()).toEqual(['a', 'b']);
    expect(items.find(({ id }) => id === 'a')).toMatchObject({ trace: '{"running":1}' });
    delivered('a', 'b');
    await until(() => calls().length === 0);
  });

  it('removes a file in which nothing was ever written', async () => {
    fs.writeFileSync(await leave('a'), '');
    await recover();
    await until(() => calls().length === 0);
    expect([ids(), inQuarantine(), lines]).toEqual([[], [], []]);
  });

  it('has a call wait for the next start whose provider is not loaded', async () => {
    await run((journal) => begin(journal, 'a'));
    await recover();
    expect([ids(), recovery!.waiting]).toEqual([[], 1]);
    expect(lines).toEqual([['warn', expect.stringContaining('not loaded')]]);
    await stop();
    expect(calls()).toHaveLength(1);
  });

  it('has a call wait as well whose plugin throws instead of knowing it', async () => {
    await run((journal) => begin(journal, 'a'));
    await recover({ providers: pluginWith(() => fails(new Error('broken on purpose'))) });
    expect([ids(), recovery!.waiting]).toEqual([[], 1]);
  });

  it('takes a call back without the details that its plugin throws at', async () => {
    await run((journal) => begin(journal, 'a'));
    const broken = () => fails(new Error('broken on purpose'));
    const read = { readRequest: broken, readAnswer: broken, readStream: broken };
    await recover({ providers: pluginWith(() => ({ name: 'x', framing: 'sse', ...read })) });
    expect(ids()).toEqual(['a']);
    expect(JSON.parse(items[0]!.span)).toMatchObject({ id: 'a', status: { failed: { error: 'gateway stopped' } } });
  });
});

describe('a file of the journal that cannot be read right now', () => {
  it.each(['EMFILE', 'ENFILE', 'EIO', 'EACCES', 'EPERM', 'ENOMEM', 'ESTALE', 'EAGAIN'])(
    '(%s) stays, others are recovered, and it is tried again until it can be',
    async (code) => {
      const file = await leave('a');
      await leave('b');
      let refusals = 4;
      await recover({
        read: (path) => {
          if (path === file && refusals-- > 0) throw refusal(code);
          return fs.readFileSync(path);
        },
      });
      expect([ids(), recovery!.waiting, calls().includes(file)]).toEqual([['b'], 1, true]);
      await until(() => items.length === 2);
      expect([ids(), recovery!.waiting, refusals]).toEqual([['b', 'a'], 0, -1]);
      expect(errors()).toEqual([expect.stringContaining('cannot be read right now')]);
      await until(() => lines.some(([, text]) => text.includes('has been read')));
      delivered('a', 'b');
      await until(() => calls().length === 0);
      expect([inQuarantine(), quarantined]).toEqual([[], 0]);
    },
  );

  it('is waited for by calls of which a part stands in it', async () => {
    const first = await run((journal) => begin(journal, 'a'));
    const { marker } = Segment.ofFile(first)!;
    const second = await run((journal) => {
      const call = begin(journal, 'a');
      journal.append(
        call,
        FrameType.Running,
        '{"running":1}\n{"id":"a","metadata":{},"kind":{},"started_at":"then"}',
        false,
      );
    });
    const { frames } = decodeSegment(fs.readFileSync(second), Segment.ofFile(second)!.marker);
    change(second, (bytes) => bytes.subarray(frames[0]!.end));
    expect(marker).toHaveLength(8);
    let readable = false;
    await recover({
      read: (path) => {
        if (path === first && !readable) throw refusal('EIO');
        return fs.readFileSync(path);
      },
    });
    expect(ids()).toEqual([]);
    readable = true;
    await until(() => items.length === 1);
    expect(items[0]).toMatchObject({ id: 'a', trace: '{"running":1}' });
  });

  it('stays when the gateway stops, and is forgotten when somebody took it away', async () => {
    const file = await leave('a');
    await recover({
      read: () => {
        throw refusal('EIO');
      },
    });
    await stop();
    expect([calls(), ids()]).toEqual([[file], []]);
    await recover({
      read: () => {
        throw refusal('ENOENT');
      },
    });
    expect(recovery!.waiting).toBe(0);
  });
});

describe('a file of the journal that is damaged', () => {
  it('goes to quarantine when what is good in it is delivered', async () => {
    const file = await leave('a', 'b', 'c');
    const damaged = change(file, (bytes) => {
      const { frames } = decodeSegment(bytes, Segment.ofFile(file)!.marker);
      return bytes.fill(0x55, frames[2]!.start + 30, frames[2]!.start + 40);
    });
    await recover();
    // A crash now begins again with the same file.
    expect([ids(), calls().includes(file), quarantined]).toEqual([['a', 'c'], true, 0]);
    delivered('a', 'c');
    await until(() => quarantined === 1);
    expect([calls(), inQuarantine()]).toEqual([[], [path.basename(file)]]);
    expect(fs.readFileSync(path.join(folder, 'quarantine', path.basename(file)))).toEqual(damaged);
    expect(errors()).toEqual([expect.stringContaining('is damaged')]);
  });

  it.each([
    ['it is all zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['it is torn in its first frame', (bytes: Buffer) => bytes.subarray(0, 30)],
  ])('goes there at once when nothing in it is good: %s', async (_how, by) => {
    const file = await leave('a');
    change(file, by);
    await leave('b');
    await recover();
    expect([ids(), inQuarantine()]).toEqual([['b'], [path.basename(file)]]);
  });

  it('stays where it is while it cannot be moved, and holds up nothing', async () => {
    change(await leave('a'), () => Buffer.from('garbage'));
    await leave('b');
    const blocker = path.join(folder, 'quarantine');
    fs.writeFileSync(blocker, '');
    await recover();
    expect([calls().length, ids(), recovery!.waiting]).toEqual([2, ['b'], 1]);
    delivered('b');
    await until(() => calls().length === 1);
    fs.rmSync(blocker);
    await until(() => calls().length === 0);
    expect([quarantined, recovery!.waiting]).toEqual([1, 0]);
  });

  it('costs at most the calls that stand at the damage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (where, by) => {
        const file = await leave('a', 'b', 'c', 'd');
        const { frames } = decodeSegment(fs.readFileSync(file), Segment.ofFile(file)!.marker);
        let hit: string | undefined;
        change(file, (bytes) => {
          const at = where % bytes.length;
          hit = frames.find(({ end }) => at < end)!.id;
          bytes[at]! ^= by;
          return bytes;
        });
        items = [];
        await recover();
        expect(ids().filter((id) => id !== hit)).toEqual(['a', 'b', 'c', 'd'].filter((id) => id !== hit));
        await stop();
        fs.rmSync(folder, { recursive: true });
        fs.mkdirSync(folder);
      }),
      { numRuns: 40 },
    );
  });
});
