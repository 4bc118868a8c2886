import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import { CallerKey, keyDigest, KeySeal } from '../access/caller-key.js';
import { RecoverRecordings } from './recording-spool.js';
import type { StoredRecording } from './recordings-file.thread.js';
import type { SpoolItem } from './caller-queue.js';

const KEY = 'spn_sk_alice-0123456789';
const seal = new KeySeal('spn_sk_own');
const rows: StoredRecording[] = [
  { id: 'a', ...seal.seal(new CallerKey(keyDigest(KEY), KEY)), trace: '{}', span: '{"id":"a"}', finished: true },
  { id: 'b', digest: null, sealed: null, trace: '{}', span: '{"id":"b"}', finished: true },
];

/** Recovers from a file that cannot be read a few times. */
function recovery(failures: number, opener: KeySeal | null = seal) {
  const items: SpoolItem[] = [];
  let log = '';
  let woken = 0;
  const logger = createLogger('info', 'test', { write: (line: string) => (log += line) });
  const recover = (onPage: (page: StoredRecording[]) => void): Promise<void> => {
    if (failures-- > 0) return Promise.reject(new Error('disk I/O error'));
    onPage(rows);
    return Promise.resolve();
  };
  const spool = { add: (item: SpoolItem) => (items.push(item), null), all: () => [] };
  const delivery = { wakeAll: () => woken++ };
  const it = new RecoverRecordings({
    store: { recover },
    spool,
    delivery,
    seal: opener,
    logger,
    retryMs: 1,
    retryMaxMs: 2,
  });
  return { it, items, log: () => log, woken: () => woken };
}

describe('recordings of a former run', () => {
  it('wait in the spool, each for its own key', async () => {
    const { it: recovering, items, log, woken } = recovery(0);
    await recovering.start();
    expect(items.map(({ id, caller }) => [id, caller?.authorization])).toEqual([
      ['a', `Bearer ${KEY}`],
      ['b', undefined],
    ]);
    expect([woken(), recovering.unreadableFiles]).toEqual([1, 0]);
    expect(log()).toContain('"recordings":2');
    expect(log()).not.toContain(KEY);
  });

  it('have no key that another credential of the gateway has sealed', async () => {
    for (const opener of [new KeySeal('spn_sk_other'), null]) {
      const { it: recovering, items } = recovery(0, opener);
      await recovering.start();
      expect(items[0]!.caller).toMatchObject({ digest: keyDigest(KEY), authorization: null });
    }
  });

  it('of a file that cannot be read for now are waited for, which is said once', async () => {
    const { it: recovering, items, log } = recovery(4);
    await recovering.start();
    expect([items, recovering.unreadableFiles]).toEqual([[], 1]);
    while (items.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(recovering.unreadableFiles).toBe(0);
    expect(log().match(/cannot be read for now/g)).toHaveLength(1);
    expect(log()).toContain('has been read');
    await recovering.stop();
  });
});
