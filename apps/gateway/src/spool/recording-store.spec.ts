import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { GatewayMetrics } from '../metrics.js';
import { RecordingStore } from './recording-store.js';
import type { StoredRecording } from './recordings-file.thread.js';

const seen = { errors: 0, quarantined: 0 };
const metrics = {
  storeErrors: { inc: () => seen.errors++ },
  quarantines: { inc: (files: number) => (seen.quarantined += files) },
  quarantineRemovals: { inc: () => undefined },
} as unknown as GatewayMetrics;
let log = '';
const logger = createLogger('info', 'test', { write: (line: string) => (log += line) });

let folder: string;
let stores: RecordingStore[];
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'spandrel-store-'));
  stores = [];
  Object.assign(seen, { errors: 0, quarantined: 0 });
  log = '';
});
afterEach(async () => {
  for (const store of stores) await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Opens the directory. @returns the store and what a former one has left. */
async function open(directory = folder, sync: 'never' | 'interval' | 'always' = 'interval') {
  const store = await RecordingStore.open(directory, sync, logger, metrics);
  stores.push(store);
  const left: StoredRecording[] = [];
  await store.recover((page) => left.push(...page));
  return { store, left };
}

const recording = (id: string, more: Partial<StoredRecording> = {}): StoredRecording => ({
  id,
  digest: null,
  sealed: null,
  trace: `{"id":"trace of ${id}"}`,
  span: JSON.stringify({ id, name: 'model', status: 'completed', started_at: '2026-11-26T00:00:00.000Z' }),
  finished: true,
  ...more,
});
const put = (store: RecordingStore, ...args: Parameters<typeof recording>): Promise<void> =>
  new Promise((resolve) => store.put(recording(...args), resolve));

describe.each(['never', 'interval', 'always'] as const)('a store that syncs %s', (sync) => {
  it('has after a kill what was kept: the latest of each recording, in order, and nothing that was removed', async () => {
    const { store } = await open(folder, sync);
    store.put(recording('b', { finished: false, span: '{"status":"running","started_at":"then"}' }));
    await put(store, 'c', { digest: 'whose', sealed: 'key' });
    await put(store, 'a', { finished: false });
    await Promise.all([put(store, 'a'), put(store, 'd'), put(store, 'e')]);
    store.remove('d');
    await put(store, 'f');
    const copy = path.join(folder, 'copy');
    fs.mkdirSync(copy);
    // The files as they are, while the store has them open.
    for (const name of fs.readdirSync(folder).filter((each) => each.startsWith('recordings.db'))) {
      fs.copyFileSync(path.join(folder, name), path.join(copy, name));
    }
    const { left } = await open(copy, sync);
    expect(left).toEqual([
      recording('a'),
      recording('b', {
        span: JSON.stringify({
          status: { failed: { error: 'gateway stopped' } },
          started_at: 'then',
          ended_at: 'then',
        }),
      }),
      recording('c', { digest: 'whose', sealed: 'key' }),
      recording('e'),
      recording('f'),
    ]);
    expect(seen).toEqual({ errors: 0, quarantined: 0 });
  });
});

describe('the store', () => {
  it('keeps large recordings and many, and is small again when all are delivered', async () => {
    const { store } = await open();
    const large = JSON.stringify({ status: 'completed', input: '€'.repeat(3_000_000) });
    await put(store, 'large', { span: large });
    await Promise.all(Array.from({ length: 3_000 }, (_, n) => put(store, `small-${n}`)));
    await store.close();
    const again = await open();
    expect(again.left).toHaveLength(3_001);
    expect(again.left[0]!.span).toBe(large);
    for (const { id } of again.left) again.store.remove(id);
    await again.store.close();
    const size = fs.readdirSync(folder).reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
    expect(size).toBeLessThan(64 * 1024);
    expect((await open()).left).toEqual([]);
  });

  it('does not copy its log for each large recording: others would wait for the disk', async () => {
    const { store } = await open();
    for (const id of ['a', 'b', 'c']) await put(store, id, { span: JSON.stringify('x'.repeat(6_000_000)) });
    expect(fs.statSync(path.join(folder, 'recordings.db')).size).toBeLessThan(64 * 1024);
    await store.close();
    expect((await open()).left).toHaveLength(3);
  });

  it('lets go of what waits for a recording that is removed before it was written', async () => {
    const { store } = await open();
    const kept = put(store, 'a');
    store.remove('a');
    await kept;
    await store.close();
    expect((await open()).left).toEqual([]);
  });

  it('goes on in memory while the disk takes nothing, says so once, and keeps what still waits when it does again', async () => {
    const { store } = await open();
    store.put(recording('a', { finished: false }));
    await put(store, 'b');
    const thread = (store as unknown as { thread: { run: (...args: unknown[]) => Promise<unknown> } }).thread;
    const run = thread.run.bind(thread);
    thread.run = (name, ...rest) => (name === 'write' ? Promise.reject(new Error('full')) : run(name, ...rest));
    const first = put(store, 'a');
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, put(store, 'c')]);
    expect(seen.errors).toBe(1);
    expect(log.match(/cannot be written/g)).toHaveLength(1);
    thread.run = run;
    await put(store, 'd');
    await put(store, 'e');
    store.remove('e');
    await store.close();
    expect((await open()).left.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('cannot be opened twice, and again when it was let go', async () => {
    const { store } = await open();
    await expect(RecordingStore.open(folder, 'never', logger, metrics)).rejects.toThrow(/in use by another gateway/);
    await put(store, 'a');
    await store.close();
    expect((await open()).left).toHaveLength(1);
  });

  it('that is a file is a fault of the settings', async () => {
    const file = path.join(folder, 'file');
    fs.writeFileSync(file, '');
    await expect(RecordingStore.open(file, 'never', logger, metrics)).rejects.toThrow(/gateway.spool_dir/);
  });

  it('leaves out recordings whose texts are damaged', async () => {
    const { store } = await open();
    await Promise.all(['a', 'b', 'c'].map((id) => put(store, id)));
    await store.close();
    const file = path.join(folder, 'recordings.db');
    const bytes = fs.readFileSync(file);
    fs.writeFileSync(file, bytes.fill(0x00, bytes.indexOf('trace of b'), bytes.indexOf('trace of b') + 8));
    expect((await open()).left.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(seen.quarantined).toBe(1);
  });

  it('reads what it can of a file with damage anywhere, and keeps ten damaged files', async () => {
    const { store } = await open();
    const ids = Array.from({ length: 40 }, (_, n) => `id-${String(n).padStart(2, '0')}`);
    await Promise.all(ids.map((id) => put(store, id, { span: JSON.stringify({ id, input: 'x'.repeat(3_000) }) })));
    await store.close();
    const whole = fs.readFileSync(path.join(folder, 'recordings.db'));
    const counts: number[] = [];
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 14)) {
      const directory = path.join(folder, 'damaged');
      fs.mkdirSync(directory, { recursive: true });
      fs.writeFileSync(path.join(directory, 'recordings.db'), Buffer.from(whole).fill(0xff, at, at + 4_000));
      const damaged = await open(directory);
      expect(damaged.left.every(({ id }) => ids.includes(id))).toBe(true);
      counts.push(damaged.left.length);
      await put(damaged.store, 'new');
      await damaged.store.close();
      fs.rmSync(path.join(directory, 'recordings.db'));
    }
    expect(seen.quarantined).toBeGreaterThan(10);
    expect(counts.filter((count) => count >= ids.length - 4).length).toBeGreaterThan(counts.length / 2);
    const [last] = stores.slice(-1);
    expect(last!.quarantinedFiles).toBe(10);
  });
});
